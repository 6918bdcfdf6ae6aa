#pragma once
// A set of task numbers whose lowest member is found in a few instructions: a tree of 64-bit words in which a bit says
// whether the word below has any.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace kallima {

class ReadySet {
 public:
  explicit ReadySet(std::size_t size) {
    std::size_t words = 0;
    do {
      size = std::max<std::size_t>(1, (size + 63) / 64);  // one word even for nothing
      first_[levels_++] = words;
      words += size;
    } while (size > 1);
    words_.assign(words, 0);
  }

  bool empty() const { return words_.back() == 0; }

  int lowest() const {  // of a set that is not empty
    std::size_t at = 0;
    for (int level = levels_ - 1; level >= 0; --level)
      at = at * 64 + static_cast<std::size_t>(std::countr_zero(words_[first(level) + at]));
    return static_cast<int>(at);
  }

  void insert(int task) {
    std::size_t at = static_cast<std::size_t>(task);
    for (int level = 0; level < levels_; ++level, at /= 64) {
      std::uint64_t& word = words_[first(level) + at / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << (at % 64);
      if (known) return;
    }
  }

  void erase(int task) {
    std::size_t at = static_cast<std::size_t>(task);
    for (int level = 0; level < levels_; ++level, at /= 64) {
      std::uint64_t& word = words_[first(level) + at / 64];
      word &= ~(std::uint64_t{1} << (at % 64));
      if (word != 0) return;
    }
  }

 private:
  std::size_t first(int level) const { return first_[static_cast<std::size_t>(level)]; }

  std::vector<std::uint64_t> words_;
  std::array<std::size_t, 6> first_{};
  int levels_ = 0;
};

}  // namespace kallima
