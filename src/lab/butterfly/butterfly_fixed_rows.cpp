// Rows that stay where they are: all cyclic, or all in blocks. Then log P columns need a value from another processor
// for every node, instead of one exchange in all.

#include "lab/butterfly/butterfly_script.hpp"

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Writer {
 public:
  Writer(const ButterflySizes& sizes, bool cyclic)
      : s(sizes), first_remote_(cyclic ? s.log_m + 1 : 1), script_(sizes), values_(at(s.m), -1) {}

  ButterflyScript run() {
    for (int column = 1; column <= s.log_m + s.log_P; ++column) {
      std::vector<int> partners = is_remote(column) ? exchange(column) : local_partners(column);
      std::vector<int> next(at(s.m));
      for (int row = 0; row < s.m; ++row) next[at(row)] = node(row, column, partners[at(row)]);
      values_ = std::move(next);
    }
    script_.script().close();
    return std::move(script_);
  }

 private:
  bool is_remote(int column) const { return column >= first_remote_ && column < first_remote_ + s.log_P; }

  // In a remote column the processors pair up by one bit of their numbers; all rows of one pair with those of the
  // other.
  std::vector<int> exchange(int column) {
    const int peer = s.P >> (column - first_remote_ + 1);
    std::vector<int> received(at(s.m));
    for (int row = 0; row < s.m; ++row) {
      const int value = values_[at(row)];
      sends_.push_back(script_.send(peer, 1, value >= 0 ? std::span(&value, 1) : std::span<const int>{}));
    }
    for (int row = 0; row < s.m; ++row) {
      received[at(row)] = script_.receive(peer, 1);
      script_.script().set_match(sends_[sends_.size() - at(s.m) + at(row)], received[at(row)]);
    }
    return received;
  }

  std::vector<int> local_partners(int column) const {
    const int stage = first_remote_ > 1 ? column : column - s.log_P;
    std::vector<int> partners(at(s.m));
    for (int row = 0; row < s.m; ++row) partners[at(row)] = values_[at(row ^ (s.m >> stage))];
    return partners;
  }

  int node(int row, int column, int partner) {
    std::vector<int> after{values_[at(row)], partner};
    std::erase(after, -1);
    return script_.node({row, column}, column <= s.log_m ? phase_one_stage : phase_two_stage, after);
  }

  const ButterflySizes s;
  const int first_remote_;
  ButterflyScript script_;
  std::vector<int> values_;  // [row]: the task that made the value of the column before; -1: an input
  std::vector<int> sends_;
};

}  // namespace

ButterflyScript fixed_rows_script(const ButterflySizes& sizes, NodeSchedule allocation) {
  return Writer(sizes, allocation == NodeSchedule::all_cyclic).run();
}

}  // namespace kallima
