#pragma once
// Traces such as a simulation of Sahay's two schedules gives, from his formulas (1993, sections 3 and 4): phase I in
// pieces, a message every g once its word is there, phase II when the last one has arrived.

#include <algorithm>
#include <bit>

#include "kallima/draw.hpp"

namespace kallima {

struct SampleMachine {
  int ranks = 4;
  int inputs = 256;
  double gap = 4;
  double latency = 20;
  double overhead = 0;
};

class SampleTrace {
 public:
  SampleTrace(const SampleMachine& machine, const std::string& title)
      : machine_(machine), m_(machine.inputs / machine.ranks), trace_{.ranks = machine.ranks, .events = {}} {
    trace_.unit = "node";
    trace_.title = title;
  }

  Trace simple() {
    for (int rank = 0; rank < machine_.ranks; ++rank) {
      const int columns = std::countr_zero(static_cast<unsigned>(m_));
      for (int i = 0; i < columns; ++i) compute(rank, "phase I", m_ * i, m_ * (i + 1));
      double sent = m_ * columns;
      for (int i = 0; i < messages(); ++i) send(rank, i, sent + i * machine_.gap);
      finish(rank, sent + (messages() - 1) * machine_.gap + machine_.latency);
    }
    return trace_;
  }

  Trace output_driven() {
    for (int rank = 0; rank < machine_.ranks; ++rank) {
      double done = 0, sent = -machine_.gap;
      int made = 0;
      for (const OutputIncrement& i : butterfly_increments(order(rank))) {
        const double ready = static_cast<double>(i.time);
        compute(rank, "phase I", done, ready);
        done = ready;
        if (made >= messages()) continue;
        sent = std::max(ready, sent + machine_.gap);
        send(rank, made++, sent);
      }
      finish(rank, std::max(done, sent + machine_.latency));
    }
    return trace_;
  }

 private:
  int messages() const { return m_ - m_ / machine_.ranks; }

  std::vector<int> order(int rank) const {
    std::vector<int> all;
    const int block = m_ / machine_.ranks;
    for (int j = 0; j < m_; ++j) all.push_back(((machine_.ranks - 1 - rank) ^ (j / block)) * block + j % block);
    return all;
  }

  void compute(int rank, const char* stage, double begin, double end) {
    trace_.events.push_back({.rank = rank, .task = task_++, .label = stage, .begin = begin, .end = end});
  }

  void send(int rank, int number, double at) {
    const int to = (rank + 1 + number % (machine_.ranks - 1)) % machine_.ranks;
    trace_.events.push_back({.rank = rank,
                             .task = task_++,
                             .kind = TaskKind::send_start,
                             .label = "exchange",
                             .peer = to,
                             .begin = at,
                             .end = at + machine_.overhead});
    const double arrived = at + machine_.latency;
    trace_.flights.push_back({rank, to, 1, at, at + machine_.gap, arrived, arrived});
  }

  void finish(int rank, double begin) {
    const int columns = std::countr_zero(static_cast<unsigned>(machine_.ranks));
    for (int i = 0; i < columns; ++i) compute(rank, "phase II", begin + m_ * i, begin + m_ * (i + 1));
  }

  SampleMachine machine_;
  int m_;
  Trace trace_;
  int task_ = 0;
};

}  // namespace kallima
