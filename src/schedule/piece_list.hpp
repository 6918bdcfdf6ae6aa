#pragma once
// The pieces of one end of a pass in few bytes. Among many ranks a pass has very many of them, most of which differ in
// where they begin and in nothing else, and stand at equal distances: what they have in common is kept once, and of
// such a run where it begins and how it goes on.

#include <algorithm>
#include <map>
#include <span>

#include "base/check.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

class PieceList {
 public:
  struct ListedPiece {  // a Piece whose strides stay in the list
    Buffer buffer;
    int recv;
    Index offset, first, count, every, stride;
    std::span<const Index> strides;
    bool real;
  };

  explicit PieceList(const std::vector<Piece>& pieces) : size_(pieces.size()) {
    std::map<std::vector<Index>, std::uint32_t> known;
    if (!pieces.empty()) strides_ = pieces.front().strides.size();
    for (const Piece& p : pieces) {
      std::vector<Index> numbers{static_cast<Index>(p.buffer), p.real ? 1 : 0, p.count, p.every, p.stride};
      numbers.insert(numbers.end(), p.strides.begin(), p.strides.end());
      const auto [kind, is_new] = known.try_emplace(numbers, static_cast<std::uint32_t>(known.size()));
      if (is_new) numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
      require(p.first <= INT32_MAX, "a line's element {} begins a piece (at most {} are run)", p.first, INT32_MAX);
      const Begin begin{p.offset, static_cast<int>(p.first), p.recv};
      if (runs_.empty() || !runs_.back().takes(begin, kind->second)) runs_.push_back({begin, {}, kind->second});
    }
    numbers_.shrink_to_fit();
    runs_.shrink_to_fit();
  }

  std::size_t size() const { return size_; }
  ListedPiece front() const { return entry(runs_.front()); }

  // Calls visit(number, entry) for each piece, in order.
  void each(const auto& visit) const {
    std::size_t i = 0;
    for (const Run& run : runs_) {
      ListedPiece piece = entry(run);
      for (const std::size_t end = i + at(run.count); i < end; ++i) {
        visit(i, piece);
        piece.offset += run.step.offset;
        piece.first += run.step.first;
        piece.recv += run.step.recv;
      }
    }
  }

  // Pieces of one run are alike in all but where they begin.
  bool any(const auto& is) const {
    return std::ranges::any_of(runs_, [&](const Run& run) { return is(entry(run)); });
  }
  bool all(const auto& are) const {
    return std::ranges::all_of(runs_, [&](const Run& run) { return are(entry(run)); });
  }
  std::size_t bytes() const { return runs_.size() * sizeof(Run) + numbers_.size() * sizeof(Index); }

 private:
  static constexpr std::size_t named = 5;  // numbers besides the strides
  struct Begin {
    Index offset = 0;
    int first = 0;
    int recv = 0;
    bool operator==(const Begin&) const = default;
  };
  struct Run {
    Begin begin;
    Begin step;
    std::uint32_t kind;
    int count = 1;

    bool takes(const Begin& next, std::uint32_t kind_of_next) {
      const int last = count - 1;
      const Begin to_next{next.offset - begin.offset - last * step.offset, next.first - begin.first - last * step.first,
                          next.recv - begin.recv - last * step.recv};
      if (kind != kind_of_next || (count > 1 && to_next != step)) return false;
      step = to_next;
      ++count;
      return true;
    }
  };

  ListedPiece entry(const Run& run) const {
    const Index* const n = &numbers_[run.kind * (named + strides_)];
    const auto& [offset, first, recv] = run.begin;
    return {static_cast<Buffer>(n[0]), recv, offset, first, n[2], n[3], n[4], {n + named, strides_}, n[1] != 0};
  }

  std::size_t size_;
  std::vector<Run> runs_;
  std::vector<Index> numbers_;  // of each kind: buffer, whether it is real, count, every, stride, and its strides
  std::size_t strides_ = 0;     // that each of them has
};

}  // namespace kallima
