#pragma once
// Which tasks of one rank certainly come before which: a bit for every pair. Dependencies point to lower numbers, so
// one sweep in order of the numbers completes it.

#include <cstdint>
#include <vector>

#include "schedule/checks.hpp"

namespace kallima::checks {

class Reachability {
 public:
  explicit Reachability(const std::vector<Task>& tasks)
      : words_((tasks.size() + 63) / 64), bits_(tasks.size() * words_) {
    for (std::size_t t = 0; t < tasks.size(); ++t)
      for (const int before : predecessors(tasks[t])) add(t, static_cast<std::size_t>(before));
  }

  bool before(int earlier, int later) const {
    const auto e = static_cast<std::size_t>(earlier);
    return (bits_[static_cast<std::size_t>(later) * words_ + e / 64] >> (e % 64) & 1) != 0;
  }

 private:
  void add(std::size_t later, std::size_t earlier) {
    for (std::size_t w = 0; w < words_; ++w) bits_[later * words_ + w] |= bits_[earlier * words_ + w];
    bits_[later * words_ + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace kallima::checks
