// Rows that stay where they are, all cyclic or all in blocks: then log P columns need a value from another processor
// for every node. Or phase I, one exchange, phase II: what distinguishes these schedules is only the order of phase I's
// nodes, which block goes where, and when it may be sent.

#include "lab/butterfly/butterfly_script.hpp"

#include "base/bits.hpp"
#include "base/check.hpp"

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class FixedRows {
 public:
  FixedRows(const ButterflySizes& sizes, bool cyclic)
      : s(sizes), first_remote_(cyclic ? s.log_m + 1 : 1), script_(sizes), values_(at(s.m), -1) {}

  ButterflyScript run() {
    for (int column = 1; column <= s.log_m + s.log_P; ++column) {
      const bool remote = column >= first_remote_ && column < first_remote_ + s.log_P;
      const std::vector<int> partners = remote ? exchange(column) : local_partners(column);
      std::vector<int> next(at(s.m));
      for (int row = 0; row < s.m; ++row)
        next[at(row)] = script_.node({row, column}, {values_[at(row)], partners[at(row)]});
      values_ = std::move(next);
    }
    script_.script().close();
    return std::move(script_);
  }

 private:
  // In a remote column the processors pair up by one bit of their numbers; all rows of one pair with those of the
  // other.
  std::vector<int> exchange(int column) {
    const int peer = s.P >> (column - first_remote_ + 1);
    std::vector<int> sent, received;
    for (const int value : values_) sent.push_back(script_.send(peer, 1, std::span(&value, 1)));
    for (const int send : sent) {
      received.push_back(script_.receive(peer, 1));
      script_.script().set_match(send, received.back());
    }
    return received;
  }

  std::vector<int> local_partners(int column) const {
    const int stage = first_remote_ > 1 ? column : column - s.log_P;
    std::vector<int> partners;
    for (int row = 0; row < s.m; ++row) partners.push_back(values_[at(row ^ (s.m >> stage))]);
    return partners;
  }

  const ButterflySizes s;
  const int first_remote_;
  ButterflyScript script_;
  std::vector<int> values_;  // [row]: the task that made the value of the column before; -1: an input
};

class TwoPhaseWriter {
 public:
  TwoPhaseWriter(const ButterflySizes& sizes, const TwoPhases& phases) : s(sizes), phases_(phases), script_(sizes) {
    const std::size_t nodes = at(s.m) * at(s.log_m + s.log_P);
    script_.script().reserve(nodes + 2 * at(s.m) + 1, 2 * nodes + 4 * at(s.m) + 1);
    task_.assign(at(s.log_m + 1), std::vector<int>(at(s.m), -1));
  }

  ButterflyScript run() {
    if (phases_.output_driven)
      outputs_one_by_one();
    else
      column_by_column();
    receive_all();
    combine();
    script_.script().close();
    return std::move(script_);
  }

 private:
  int messages_each() const { return phases_.blocks ? 1 : s.l; }
  int words() const { return s.l / messages_each(); }

  // The nodes that output `row` needs and that are not there yet, column by column: in column c those rows whose first
  // c bits are those of `row`. That they come in whole subtrees is what makes outputs in this order cheap.
  void make_output(int row) {
    for (int column = 1; column <= s.log_m; ++column) {
      const int below = s.m >> column;  // rows that share the first `column` bits
      const int first = row & ~(below - 1);
      if (task_[at(column)][at(first)] >= 0) continue;
      for (int r = first; r < first + below; ++r) make_node(r, column);
    }
  }

  void make_node(int row, int column) {
    const std::vector<int>& before = task_[at(column - 1)];
    task_[at(column)][at(row)] = script_.node({row, column}, {before[at(row)], before[at(row ^ (s.m >> column))]});
  }

  void outputs_one_by_one() {
    for (int row = 0; row < s.m; ++row) {
      make_output(row);
      const int block = row / s.l, e = row % s.l;
      if (phases_.destinations[at(block)] == TwoPhases::own) continue;
      const std::span<const int> outputs(task_.back());
      if (!phases_.blocks)
        send(block, e, outputs.subspan(at(row), 1));
      else if (e == s.l - 1)
        send(block, 0, outputs.subspan(at(block * s.l), at(s.l)));
    }
  }

  void send(int block, int e, std::span<const int> after) {
    const int task = script_.send(phases_.destinations[at(block)], words(), after);
    script_.script().set_match(task, first_receive() + phases_.places[at(block)] * messages_each() + e);
  }

  // Every processor's script has as many nodes and sends before its first receive.
  int first_receive() const { return s.m * s.log_m + (s.P - 1) * messages_each(); }

  int output(int row) const { return task_.back()[at(row)]; }

  void column_by_column() {
    for (int column = 1; column <= s.log_m; ++column)
      for (int row = 0; row < s.m; ++row) make_node(row, column);
    const int last = output(s.m - 1);
    for (const int block : phases_.send_order)
      for (int e = 0; e < s.l; ++e) {
        const int value = output(block * s.l + e);
        send(block, e, std::array{value, last == value ? -1 : last});
      }
  }

  void receive_all() {
    received_.assign(at(s.P), {});
    for (int sender = 0; sender < s.P; ++sender)
      for (int e = 0; e < messages_each() && phases_.sources[at(sender)] != TwoPhases::own; ++e)
        received_[at(sender)].push_back(script_.receive(phases_.sources[at(sender)], words()));
  }

  // What a sender's value number e arrives as: a message, or our own output of the block that stays.
  int input(int sender, int e) const {
    if (phases_.sources[at(sender)] != TwoPhases::own) return received_[at(sender)][at(phases_.blocks ? 0 : e)];
    for (int block = 0; block < s.P; ++block)
      if (phases_.destinations[at(block)] == TwoPhases::own) return output(block * s.l + e);
    fail("no block of phase I stays");
  }

  int wait_for_all() {
    std::vector<int> all{output(s.m - 1)};
    for (const std::vector<int>& sender : received_) all.insert(all.end(), sender.begin(), sender.end());
    return script_.barrier(all);
  }

  void combine() {
    const int barrier = phases_.phase_two == PhaseTwo::waiting && s.P > 1 ? wait_for_all() : -1;
    std::vector<int> previous(at(s.P)), current(at(s.P));
    for (int e = 0; e < s.l; ++e) {
      for (int sender = 0; sender < s.P; ++sender) previous[at(sender)] = input(sender, e);
      for (int column = 1; column <= s.log_P; ++column) {
        for (int sender = 0; sender < s.P; ++sender)
          current[at(sender)] =
              script_.node({e * s.P + sender, s.log_m + column},
                           {previous[at(sender)], previous[at(sender ^ (s.P >> column))], column == 1 ? barrier : -1});
        previous = current;
      }
    }
  }

  const ButterflySizes s;
  const TwoPhases& phases_;
  ButterflyScript script_;
  std::vector<std::vector<int>> task_;      // [column][row]; column 0 are inputs and stay -1
  std::vector<std::vector<int>> received_;  // [sender][message]
};

}  // namespace

ButterflySizes::ButterflySizes(const Butterfly& butterfly) : n(butterfly.n), P(butterfly.processors) {
  const std::string schedule = name(butterfly.schedule);
  require(power_of_two(n), "n = {} is not a power of two, as the {} schedule needs", n, schedule);
  require(power_of_two(P), "P = {} is not a power of two, as the {} schedule needs", P, schedule);
  const Index least = has_two_phases(butterfly.schedule) ? Index{P} * P : Index{P};
  require(n >= least, "n = {} is too small for P = {} processors in the {} schedule: it needs n >= {}", n, P, schedule,
          least);
  require(n / P <= Index{1} << 25,
          "n/P = {} rows per processor are too many to simulate node by node: use at most 2^25", n / P);
  m = static_cast<int>(n / P);
  l = m / P;
  log_m = log2_of(m);
  log_P = log2_of(P);
}

ButterflyScript two_phase_script(const ButterflySizes& sizes, const TwoPhases& phases) {
  return TwoPhaseWriter(sizes, phases).run();
}

ButterflyScript fixed_rows_script(const ButterflySizes& sizes, NodeSchedule allocation) {
  return FixedRows(sizes, allocation == NodeSchedule::all_cyclic).run();
}

}  // namespace kallima
