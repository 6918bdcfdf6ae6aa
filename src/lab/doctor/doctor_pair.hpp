#pragma once
// Ranks in pairs that exchange blocks, and the clock beside them. Every rank of the first half has a partner in the
// second, on another host where there are several; with an odd number the last one only keeps the others company.
// Times are those of the slowest rank, so that all ranks see the same and decide alike.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

enum class Ways { one, both };

inline constexpr double usual_poll = 50e-6;

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
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < units; ++i) unit();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      units_per_s_ = std::max(units_per_s_, units / passed.count());
    }
  }

  // With a look at the messages every so many seconds; 0: without.
  void run(double seconds, double poll_seconds, Transport& transport) {
    const auto units = static_cast<long long>(seconds * units_per_s_);
    auto looked = std::chrono::steady_clock::now();
    for (long long i = 0; i < units; ++i) {
      unit();
      if (poll_seconds == 0) continue;
      const auto now = std::chrono::steady_clock::now();
      if (now - looked < std::chrono::duration<double>(poll_seconds)) continue;
      transport.progress();
      looked = now;
    }
  }

  // With no messages under way.
  void run_alone(double seconds, Transport& transport) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = cpu_seconds();
    run(seconds, 0, transport);
    processor_s_ += cpu_seconds() - cpu;
    passed_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
  double processor_s_ = 0;
  double passed_s_ = 0;
};

class Pair {
 public:
  explicit Pair(Transport& transport) : transport_(transport) {
    const int half = transport.size() / 2;
    if (transport.rank() < 2 * half) partner_ = (transport.rank() + half) % (2 * half);
  }

  bool takes_part() const { return partner_ >= 0; }
  bool is_first() const { return takes_part() && transport_.rank() < partner_; }

  double largest_of_all(double mine) const {
    const std::vector<double> all = gathered(transport_, mine);
    return *std::max_element(all.begin(), all.end());
  }

  double smallest_of_all(double mine) const { return -largest_of_all(-mine); }

  // Seconds, waiting as one does with nothing to do.
  double exchange(std::size_t bytes, Ways ways) { return seconds_until_over(begin(bytes, ways)); }

  // Both ways, looked after every 50 us. Between two looks it waits without a call into the system, so that the time
  // the processor spends in looks is that of the messages.
  double polled_exchange(std::size_t bytes, double& cpu_s) {
    const auto start = begin(bytes, Ways::both);
    double cpu = 0;
    for (bool done = false; !done;) {
      const auto wait_until = Clock::now() + std::chrono::duration<double>(usual_poll);
      while (Clock::now() < wait_until) continue;
      const double before = cpu_seconds();
      done = over();
      cpu += cpu_seconds() - before;
    }
    const double seconds = seconds_of_all(start);
    cpu_s = largest_of_all(cpu);
    return seconds;
  }

  double with_work(std::size_t bytes, double seconds, double poll_seconds, SteadyWork& work) {
    const auto start = begin(bytes, Ways::both);
    if (takes_part() && bytes == 0) work.run_alone(seconds, transport_);
    if (takes_part() && bytes > 0) work.run(seconds, poll_seconds, transport_);
    return seconds_until_over(start);
  }

  // Whether a message leaves without the receiver's help.
  bool leaves_alone(std::size_t bytes, double patience_s) {
    out_.resize(std::max(out_.size(), bytes));
    in_.resize(std::max(in_.size(), bytes));
    transport_.barrier();
    const auto start = Clock::now();
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
    in_.resize(std::max(in_.size(), bytes));
    transport_.barrier();
    const auto start = Clock::now();
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
  using Clock = std::chrono::steady_clock;

  Clock::time_point begin(std::size_t bytes, Ways ways) {
    if (out_.size() < bytes) {
      out_.assign(bytes, std::byte{1});
      in_.assign(bytes, std::byte{0});
    }
    transport_.barrier();
    const auto start = Clock::now();
    if (!takes_part() || bytes == 0) return start;
    if (ways == Ways::both || !is_first()) post_recv(bytes);
    if (ways == Ways::both || is_first()) post_send(bytes);
    return start;
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

  double seconds_until_over(Clock::time_point start) {
    while (!over()) transport_.idle();
    return seconds_of_all(start);
  }

  // From the first rank's beginning to the last one's end, whose clocks need not agree.
  double seconds_of_all(Clock::time_point start) const {
    transport_.barrier();
    return largest_of_all(since(start));
  }

  double since(Clock::time_point begin) const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  Transport& transport_;
  int partner_ = -1;
  std::vector<std::byte> out_, in_;
  std::vector<Request> requests_;
};

}  // namespace kallima
