#pragma once
// The pieces of one end of a pass in few bytes. Among many ranks a pass has very many of them, most of which differ in
// where they begin and in nothing else: what they have in common is kept once.

#include <map>
#include <ranges>
#include <span>

#include "base/check.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

class PieceList {
 public:
  struct Entry {  // a Piece whose strides stay in the list
    Buffer buffer;
    int recv;
    Index offset, first, count, every, stride;
    std::span<const Index> strides;
    bool real;
  };

  explicit PieceList(const std::vector<Piece>& pieces) {
    std::map<std::vector<Index>, Index> known;
    if (!pieces.empty()) strides_ = pieces.front().strides.size();
    begins_.reserve(pieces.size());
    for (const Piece& p : pieces) {
      std::vector<Index> numbers{static_cast<Index>(p.buffer), p.real ? 1 : 0, p.count, p.every, p.stride};
      numbers.insert(numbers.end(), p.strides.begin(), p.strides.end());
      const auto [kind, is_new] = known.try_emplace(numbers, std::ssize(known));
      if (is_new) numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
      require(p.first <= INT32_MAX && p.offset <= INT64_MAX / most_kinds && kind->second < most_kinds,
              "a line's element {} is at {}, in a piece of kind {} (at most {}, {} and {} are run)", p.first, p.offset,
              kind->second, INT32_MAX, INT64_MAX / most_kinds, most_kinds - 1);
      begins_.push_back({p.offset * most_kinds + kind->second, static_cast<std::int32_t>(p.first), p.recv});
    }
    numbers_.shrink_to_fit();
  }

  std::size_t size() const { return begins_.size(); }
  Entry front() const { return (*this)[0]; }
  auto entries() const {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t i) { return (*this)[i]; });
  }
  Entry operator[](std::size_t i) const {
    const Begin& b = begins_[i];
    const Index* const n = &numbers_[at(b.offset_and_kind % most_kinds) * (named + strides_)];
    return {static_cast<Buffer>(n[0]), b.recv,   b.offset_and_kind / most_kinds, b.first, n[2], n[3], n[4],
            {n + named, strides_},     n[1] != 0};
  }
  std::size_t bytes() const { return begins_.size() * sizeof(Begin) + numbers_.size() * sizeof(Index); }

 private:
  static constexpr Index most_kinds = 65536;
  static constexpr std::size_t named = 5;  // numbers besides the strides
  struct Begin {
    Index offset_and_kind;
    std::int32_t first;
    std::int32_t recv;
  };

  std::vector<Begin> begins_;
  std::vector<Index> numbers_;  // of each kind: buffer, whether it is real, count, every, stride, and its strides
  std::size_t strides_ = 0;     // that each of them has
};

}  // namespace kallima
