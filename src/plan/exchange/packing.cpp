#include "plan/exchange/packing.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr int most_improvements = 16;  // of the best order

// What stands in a buffer.
class Shelf {
 public:
  void add(const MemoryUse& use, Index base) {
    const Stay stay{base, base + use.words, use.first, use.last};
    stays_.insert(std::ranges::upper_bound(stays_, base, {}, &Stay::base), stay);
    ends_.insert(std::ranges::upper_bound(ends_, stay.end), stay.end);
    high_ = std::max(high_, stay.end);
    longest_ = std::max(longest_, use.words);
  }
  Index high() const { return high_; }

  // From `base` on, as far in front as possible. Those that begin more than the longest before it end before it.
  Index free_from(Index base, const MemoryUse& use) const {
    auto stay = std::ranges::lower_bound(stays_, base - longest_, {}, &Stay::base);
    for (; stay != stays_.end() && stay->base < base + use.words; ++stay)
      if (stay->last >= use.first && use.last >= stay->first) base = std::max(base, stay->end);
    return base;
  }

  // In memory that nobody has used, up to `limit`, or in what has been dead for longest.
  Index loosely(const MemoryUse& use, Index limit) const {
    if (use.fresh && high_ + use.words <= limit) return high_;
    std::tuple<Index, int, Index> best{high_ + use.words, -1, high_};
    for (Index base = free_from(0, use); base + use.words <= std::get<0>(best);) {
      const Index end = std::max(base + use.words, use.fresh ? limit : high_);  // of all that is used then
      std::tuple<Index, int, Index> mine{end, -1, base};
      auto stay = std::ranges::lower_bound(stays_, base - longest_, {}, &Stay::base);
      for (; stay != stays_.end() && stay->base < base + use.words && mine < best; ++stay)
        if (base < stay->end && stay->last < use.first) std::get<1>(mine) = std::max(std::get<1>(mine), stay->last);
      best = std::min(best, mine);
      const auto next = std::ranges::upper_bound(ends_, base);
      if (next == ends_.end()) break;
      base = free_from(*next, use);
    }
    return std::get<2>(best);
  }

 private:
  struct Stay {
    Index base, end;
    int first, last;
  };
  std::vector<Stay> stays_;  // by their base
  std::vector<Index> ends_;
  Index high_ = 0, longest_ = 0;
};

using Numbers = std::vector<std::size_t>;  // of uses

class Packer {
 public:
  Packer(const std::vector<MemoryUse>& uses, const std::vector<MemoryUse>& fixed, Index reals_of_out, Index spare)
      : uses_(uses), fixed_(fixed), reals_of_out_(reals_of_out), spare_(spare), by_use_(uses.size()) {
    std::iota(by_use_.begin(), by_use_.end(), std::size_t{0});
    by_use_ = sorted([](const MemoryUse& a, const MemoryUse& b) { return a.first < b.first; });
    by_size_ = sorted([](const MemoryUse& a, const MemoryUse& b) { return a.words > b.words; });
    // What ends together stands together; large ones come first, or a small one might stand in their middle.
    const Index largest = uses.empty() ? 0 : uses[by_size_.front()].words;
    by_last_ = sorted([&](const MemoryUse& a, const MemoryUse& b) {
      return std::pair(2 * a.words < largest, a.last) < std::pair(2 * b.words < largest, b.last);
    });
    by_end_ = sorted([&](const MemoryUse& a, const MemoryUse& b) {
      return std::pair(32 * a.words < largest, b.last) < std::pair(32 * b.words < largest, a.last);
    });
  }

  MemoryMap run() {
    const std::array<const Numbers*, 3> for_out{&by_size_, &by_end_, &by_use_};
    for (const std::size_t i : {0, 1})
      if (attempt(i, *for_out[i], by_use_, Packing::loose)) return best_;
    for (const Numbers* for_work : {&by_size_, &by_use_, &by_last_})
      for (std::size_t i = 0; i < for_out.size(); ++i)
        if (attempt(i, *for_out[i], *for_work, Packing::tight)) return best_;
    for (int i = 0; i < most_improvements && is_nearly_enough() && improve();) ++i;
    return best_;
  }

 private:
  enum class Packing { loose, tight };
  // What is in the result's memory, and what the others take at least: all that is used at the same time.
  struct InOut {
    std::vector<MemoryPlace> places;
    Index least = 0;
  };

  Numbers sorted(const auto& before) const {
    Numbers order = by_use_;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return before(uses_[a], uses_[b]); });
    return order;
  }

  // Whether it is good enough.
  bool attempt(std::size_t number, const Numbers& for_out, const Numbers& for_work, Packing packing) {
    if (!in_out_[number]) in_out_[number] = placed_in_out(for_out);
    const InOut& in_out = *in_out_[number];
    const bool first = best_.places.empty();
    if (!first && in_out.least >= best_.words) return false;
    MemoryMap map{in_out.places};
    Shelf work;
    for (const std::size_t i : for_work) {
      if (map.places[i].in_out) continue;
      map.places[i].base = packing == Packing::loose ? work.loosely(uses_[i], spare_) : work.free_from(0, uses_[i]);
      work.add(uses_[i], map.places[i].base);
    }
    map.words = work.high();
    if (!first && map.words >= best_.words) return false;
    best_ = std::move(map);
    best_out_ = number;
    best_order_ = for_work;
    return best_.words <= spare_;
  }

  bool is_nearly_enough() const {
    return best_.words > spare_ && 10 * best_.words < 11 * spare_ && best_.words > in_out_[best_out_]->least;
  }

  // What ends last is placed first.
  bool improve() {
    Numbers order = best_order_;
    const auto is_last = [&](std::size_t i) {
      return !best_.places[i].in_out && best_.places[i].base + uses_[i].words == best_.words;
    };
    std::ranges::stable_partition(order, is_last);
    const Index before = best_.words;
    attempt(best_out_, {}, order, Packing::tight);
    return best_.words < before;
  }

  InOut placed_in_out(const Numbers& order) const {
    InOut all{std::vector<MemoryPlace>(uses_.size())};
    Shelf out;
    for (const MemoryUse& use : fixed_) out.add(use, use.base);
    for (const std::size_t i : order) {
      if (!uses_[i].fits_out) continue;
      const Index base = out.free_from(0, uses_[i]);
      if (2 * base + uses_[i].reals > reals_of_out_) continue;
      all.places[i] = {true, base};
      out.add(uses_[i], base);
    }
    all.least = used_at_once(all.places);
    return all;
  }

  Index used_at_once(const std::vector<MemoryPlace>& places) const {
    std::vector<std::pair<int, Index>> changes;  // by task: what is no longer used before it, and what is from it on
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (places[i].in_out) continue;
      changes.emplace_back(uses_[i].first, uses_[i].words);
      changes.emplace_back(uses_[i].last + 1, -uses_[i].words);
    }
    std::ranges::sort(changes);
    Index now = 0, most = 0;
    for (const auto& [task, words] : changes) most = std::max(most, now += words);
    return most;
  }

  const std::vector<MemoryUse>& uses_;
  const std::vector<MemoryUse>& fixed_;
  Index reals_of_out_, spare_;
  Numbers by_use_, by_size_, by_last_, by_end_;
  std::array<std::optional<InOut>, 3> in_out_;  // by the order in which it is filled
  MemoryMap best_;
  std::size_t best_out_ = 0;
  Numbers best_order_;
};

}  // namespace

MemoryMap packed_memory(const std::vector<MemoryUse>& uses, const std::vector<MemoryUse>& fixed, Index reals_of_out,
                        Index spare) {
  return uses.empty() ? MemoryMap{} : Packer(uses, fixed, reals_of_out, spare).run();
}

}  // namespace kallima
