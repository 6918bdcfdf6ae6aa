#pragma once
// Ranks in pairs that exchange blocks, and the clock beside them. Every rank of the first half has a partner in the
// second, on another host where there are several; with an odd number the last one only keeps the others company.
// Times are those of the slowest rank, so that all ranks see the same and decide alike.

#include <chrono>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

enum class Ways { one, both };

// Work of known length that can be interrupted to look after messages.
class SteadyWork {
 public:
  SteadyWork();
  void run(double seconds, double poll_seconds, Transport& transport);                     // 0: without a look
  void run_alone(double seconds, Transport& transport);                                    // with no messages under way
  double processor_share() const { return passed_s_ > 0 ? processor_s_ / passed_s_ : 1; }  // 1: nobody else had it

 private:
  void unit();
  double units_per_s_ = 0;
  double state_ = 1;
  double processor_s_ = 0;
  double passed_s_ = 0;
};

class Pair {
 public:
  explicit Pair(Transport& transport);

  bool takes_part() const { return partner_ >= 0; }
  bool is_first() const { return takes_part() && transport_.rank() < partner_; }
  int partner() const { return partner_; }
  double largest_of_all(double mine) const;
  double smallest_of_all(double mine) const { return -largest_of_all(-mine); }

  double exchange(std::size_t bytes, Ways ways);             // seconds, waiting as one does with nothing to do
  double polled_exchange(std::size_t bytes, double& cpu_s);  // both ways, looked after every 50 us
  double with_work(std::size_t bytes, double seconds, double poll_seconds, SteadyWork& work);
  bool leaves_alone(std::size_t bytes, double patience_s);  // without the receiver's help
  double handover(std::size_t bytes, bool& is_view);        // of memory that may be shared

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin(std::size_t bytes, Ways ways);
  bool over();
  double seconds_of_all(Clock::time_point start) const;
  double since(Clock::time_point begin) const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  Transport& transport_;
  int partner_ = -1;
  std::vector<std::byte> out_, in_;
  std::vector<Request> requests_;
};

}  // namespace kallima
