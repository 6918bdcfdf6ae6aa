#pragma once
// Ranks in pairs that exchange blocks, and the clock beside them. Every rank of the first half has a partner in the
// second, on another host where there are several; with an odd number the last one only keeps the others company.
// Times are those of the slowest rank, so that all ranks see the same and decide alike.

#include <algorithm>
#include <chrono>

#include "kallima/comm.hpp"

namespace kallima {

enum class Ways { one, both };

using Clock = std::chrono::steady_clock;
inline double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

inline double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Work of known length that can be interrupted to look after messages.
class SteadyWork {
 public:
  SteadyWork() {
    for (int attempt = 0; attempt < 5; ++attempt) {
      constexpr int units = 2000;
      const auto begin = Clock::now();
      for (int i = 0; i < units; ++i) unit();
      units_per_s_ = std::max(units_per_s_, units / since(begin));
    }
  }

  // With a look at the messages every so many seconds; 0: without.
  void run(double seconds, double poll_seconds, Transport& transport) {
    const auto units = static_cast<long long>(seconds * units_per_s_);
    auto looked = Clock::now();
    for (long long i = 0; i < units; ++i) {
      unit();
      if (poll_seconds == 0 || since(looked) < poll_seconds) continue;
      looked = Clock::now();
      transport.progress();
    }
  }

  // With no messages under way.
  void run_alone(double seconds, Transport& transport) {
    const auto begin = Clock::now();
    const double cpu = cpu_seconds();
    run(seconds, 0, transport);
    processor_s_ += cpu_seconds() - cpu;
    passed_s_ += since(begin);
  }

  double processor_share() const { return passed_s_ > 0 ? processor_s_ / passed_s_ : 1; }  // 1: nobody else had it

 private:
  void unit() {  // about a microsecond that no compiler can shorten
    double x = state_;
    for (int i = 0; i < 250; ++i) x = x * 0.999999 + 1e-6;
    state_ = x;
  }

  double units_per_s_ = 0;
  double state_ = 1;
  double processor_s_ = 0, passed_s_ = 0;
};

class Pair {
 public:
  explicit Pair(Comm comm) : comm_(std::move(comm)), transport_(comm_.transport()) {
    const int half = comm_.size() / 2;
    if (comm_.rank() < 2 * half) partner_ = (comm_.rank() + half) % (2 * half);
  }

  bool takes_part() const { return partner_ >= 0; }
  bool is_first() const { return takes_part() && transport_.rank() < partner_; }

  double largest_of_all(double mine) const { return std::ranges::max(gathered(transport_, mine)); }

  // Seconds from the first rank's beginning to the last one's end, whose clocks need not agree. What is to be done
  // `meanwhile` is done when all is posted; then ranks wait as one does with nothing to do.
  template <class F = decltype([] {})>
  double exchange(std::size_t bytes, Ways ways, const F& meanwhile = {}) {
    const auto start = start_with(bytes);
    if (takes_part() && bytes > 0) {
      if (ways == Ways::both || !is_first()) post_recv(bytes);
      if (ways == Ways::both || is_first()) post_send(bytes);
    }
    meanwhile();
    while (!over()) transport_.idle();
    transport_.barrier();
    return largest_of_all(since(start));
  }

  // Both ways, looked after every 50 us. Between two looks it waits without a call into the system, so that the time
  // the processor spends in looks is that of the messages.
  double polled_exchange(std::size_t bytes, double& cpu_s) {
    double cpu = 0;
    const double seconds = exchange(bytes, Ways::both, [&] {
      for (bool done = false; !done;) {
        const auto looked = Clock::now();
        while (since(looked) < 50e-6) continue;
        const double before = cpu_seconds();
        done = over();
        cpu += cpu_seconds() - before;
      }
    });
    cpu_s = largest_of_all(cpu);
    return seconds;
  }

  double with_work(std::size_t bytes, double seconds, double poll_seconds, SteadyWork& work) {
    return exchange(bytes, Ways::both, [&] {
      if (takes_part() && bytes == 0) work.run_alone(seconds, transport_);
      if (takes_part() && bytes > 0) work.run(seconds, poll_seconds, transport_);
    });
  }

  // Whether a message leaves without the receiver's help.
  bool leaves_alone(std::size_t bytes, double patience_s) {
    const auto start = start_with(bytes);
    bool left = !is_first();
    if (is_first()) post_send(bytes);
    while (is_first() && !left && since(start) < patience_s) left = over();
    while (!is_first() && since(start) < 2 * patience_s) continue;  // and calls nothing
    if (takes_part() && !is_first()) post_recv(bytes);
    while (!over()) transport_.idle();
    return largest_of_all(left ? 0 : 1) == 0;
  }

  // Seconds until a block in memory that may be shared is there, and whether it is read in place.
  double handover(std::size_t bytes, bool& is_view) {
    const auto memory = transport_.allocate(bytes);
    const auto start = start_with(bytes);
    double seconds = 0;
    is_view = true;
    if (takes_part()) {
      const Request send = transport_.post_send(partner_, 0, memory->bytes());
      const Request recv = transport_.post_recv(partner_, 0, std::span(in_).first(bytes));
      while (!transport_.test(recv)) transport_.idle();
      seconds = since(start);
      is_view = transport_.data(recv) != in_.data();
      transport_.release(recv);
      while (!transport_.test(send)) transport_.idle();
      transport_.release(send);
    }
    is_view = largest_of_all(is_view ? 0 : 1) == 0;
    return largest_of_all(seconds);
  }

 private:
  // All at once, with arrays of at least so many bytes.
  Clock::time_point start_with(std::size_t bytes) {
    out_.resize(std::max(out_.size(), bytes));
    in_.resize(out_.size());
    transport_.barrier();
    return Clock::now();
  }

  void post_send(std::size_t bytes) {
    requests_.push_back(transport_.post_send(partner_, 0, std::span(out_).first(bytes)));
  }
  void post_recv(std::size_t bytes) {
    requests_.push_back(transport_.post_recv(partner_, 0, std::span(in_).first(bytes)));
  }

  bool over() {
    std::erase_if(requests_, [&](Request request) {
      if (!transport_.test(request)) return false;
      transport_.release(request);
      return true;
    });
    return requests_.empty();
  }

  Comm comm_;
  Transport& transport_;
  int partner_ = -1;
  std::vector<std::byte> out_, in_;
  std::vector<Request> requests_;
};

}  // namespace kallima
