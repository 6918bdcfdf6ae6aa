#include "plan/exchange/region.hpp"

#include <algorithm>
#include <numeric>

namespace kallima {
namespace {

using checks::LoopAxis;
using Axes = std::span<const LoopAxis>;

constexpr Index most_tries = 64;  // multiples of a stride that are looked at one by one

Index reach(Axes axes) {
  Index sum = 0;
  for (const LoopAxis& a : axes) sum += (a.size - 1) * a.stride;
  return sum;
}

Index floor_divided(Index a, Index b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// The least d >= 0 for which step * d is in [low, high] modulo m, or -1; 0 < low <= high < m. Euclid's algorithm.
Index first_between(Index step, Index m, Index low, Index high) {
  if (step == 0) return -1;
  const Index d = (low + step - 1) / step;
  if (d * step <= high) return d;
  const Index turns = first_between(m % step, step, step - high % step, step - low % step);
  return turns < 0 ? -1 : (low + m * turns + step - 1) / step;
}

// Whether one of `count` runs of `length`, `step` apart from `first` on, meets one of endlessly many of `other`,
// `apart` from 0 on; the two lengths are at most `apart` together.
bool runs_meet(Index first, Index length, Index step, Index count, Index apart, Index other) {
  const Index low = ((1 - length - first) % apart + apart) % apart, high = low + length + other - 2;
  if (low == 0 || high >= apart) return true;
  const Index d = first_between(step % apart, apart, low, high);
  return d >= 0 && d < count;
}

// Both sets with the longest stride first. Its multiples are divided out: d of them apart, the inner sets must meet.
bool meet_at(Index a, Axes as, Index b, Axes bs) {
  if (a + reach(as) < b || b + reach(bs) < a) return false;
  if (as.empty() && bs.empty()) return true;
  if (as.empty() || (!bs.empty() && bs.front().stride > as.front().stride)) return meet_at(b, bs, a, as);
  const LoopAxis outer = as.front();
  const bool same = !bs.empty() && bs.front().stride == outer.stride;
  const Index fewest = same ? 1 - bs.front().size : 0;
  as = as.subspan(1);
  if (same) bs = bs.subspan(1);
  const Index low = std::max(fewest, floor_divided(b - a - reach(as) + outer.stride - 1, outer.stride));
  const Index high = std::min(outer.size - 1, floor_divided(b + reach(bs) - a, outer.stride));
  if (high - low > most_tries) return true;
  const auto is_run = [](Axes x) { return x.size() == 1 && x[0].stride == 1; };
  if (!same && is_run(as) && bs.size() == 2 && is_run(bs.subspan(1)) && as[0].size + bs[1].size <= bs[0].stride)
    return high >= low &&
           runs_meet(a + low * outer.stride - b, as[0].size, outer.stride, high - low + 1, bs[0].stride, bs[1].size);
  for (Index d = low; d <= high; ++d)
    if (meet_at(a + d * outer.stride, as, b, bs)) return true;
  return false;
}

Footprint made_of(Index offset, std::vector<LoopAxis> axes, bool real) {
  if (!real) {
    offset *= 2;
    for (LoopAxis& a : axes) a.stride *= 2;
    axes.push_back({2, 1});
  }
  Footprint region;
  region.axes = checks::joined(std::move(axes), offset);
  std::reverse(region.axes.begin(), region.axes.end());
  region.first = offset;
  region.last = offset + reach(region.axes);
  return region;
}

}  // namespace

Footprint region_of(const Range& range) { return made_of(range.offset, {{range.count, 1}}, range.real); }

Footprint region_of(const Piece& piece, const Pass& pass, std::span<const Index> repeats) {
  std::vector<LoopAxis> axes{{piece.count, piece.stride}};
  for (std::size_t k = 0; k < repeats.size(); ++k) axes.push_back({repeats[k], piece.strides[k]});
  for (std::size_t k = 0; k < pass.loops.size(); ++k)
    axes.push_back({pass.loops[k], piece.strides[repeats.size() + k]});
  return made_of(piece.offset, std::move(axes), piece.real);
}

Residues residues_of(const Footprint& region) {
  Residues all;
  for (const LoopAxis& a : region.axes)
    if (a.stride == 1)
      all.reach = a.size - 1;
    else
      all.modulus = std::gcd(all.modulus, a.stride);
  return all.reach < all.modulus ? all : Residues{0, region.last - region.first};
}

Index longest_gap(const Footprint& region) {
  Index gap = 1, inner = region.last - region.first;
  for (const LoopAxis& a : region.axes) {
    inner -= (a.size - 1) * a.stride;
    if (a.size > 1) gap = std::max(gap, a.stride - inner);
  }
  return gap;
}

bool is_run(const Footprint& region) { return region.axes.size() == 1 && region.axes[0].stride == 1; }

Index next_of(const Footprint& region, Index place) {
  Index first = region.first, inner = region.last - region.first;
  for (const LoopAxis& a : region.axes) {
    inner -= (a.size - 1) * a.stride;
    const Index steps = floor_divided(place - first - inner + a.stride - 1, a.stride);
    first += std::clamp<Index>(steps, 0, a.size - 1) * a.stride;
    if (inner >= a.stride) break;
  }
  return std::max(first, place);
}

bool meet(const Footprint& a, const Footprint& b) {
  if (a.last < b.first || b.last < a.first) return false;
  const auto covers = [](const Footprint& x, const Footprint& y) {  // or an end of it
    return is_run(x) && ((x.first <= y.first && y.first <= x.last) || (x.first <= y.last && y.last <= x.last));
  };
  if (covers(a, b) || covers(b, a)) return true;
  return meet_at(a.first, a.axes, b.first, b.axes);
}

}  // namespace kallima
