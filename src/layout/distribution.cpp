// One dimension dealt out to p parts. With G = p/c groups, group g is the block [g n/G, (g+1) n/G) (rounded down), and
// its offset o belongs to part g c + o mod c at local index o div c. Products are taken in 128 bits, so any extent an
// Index can hold is safe. What two parts share is again an arithmetic progression; the Chinese remainder theorem gives
// it without looking at single elements.

#include <algorithm>
#include <limits>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "kallima/layout.hpp"

namespace kallima {
namespace {

// The greatest common divisor, and the x, no larger than a or b, of a x + b y that is equal to it.
std::pair<Index, Index> bezout(Index a, Index b) {
  Index x = 1, next_x = 0;
  while (b != 0) {
    const Index q = a / b;
    a = std::exchange(b, a - q * b);
    x = std::exchange(next_x, x - q * next_x);
  }
  return {a, x};
}

Int128 modulo(Int128 a, Int128 m) {
  const Int128 r = a % m;
  return r < 0 ? r + m : r;
}

Int128 last(const Progression& p) { return Int128{p.first} + Int128{p.step} * (p.count - 1); }

void check_index(Index j, Index n) {
  require(j >= 0 && j < n, "index {} is outside the dimension (its extent is {}) use 0 to {}", j, n, n - 1);
}

// The last group that begins at or before j: g n < (j + 1) G.
Index group_of(Index j, Index n, Index groups) { return static_cast<Index>(((Int128{j} + 1) * groups - 1) / n); }

}  // namespace

Distribution Distribution::group_cyclic(Index n, Index p, Index cycle) {
  require(n >= 1, "cannot distribute {} elements (a dimension has at least one) give a positive extent", n);
  require(p >= 1, "cannot distribute over {} parts (at least one must own the elements) give a positive number", p);
  require(cycle >= 1 && p % cycle == 0,
          "cycle {} does not fit {} parts (groups of that many parts must fill them exactly) choose a divisor of {}",
          cycle, p, p);
  return {n, p, cycle};
}

Index Distribution::group_begin(Index group) const { return static_cast<Index>(Int128{group} * n_ / (p_ / c_)); }

Index Distribution::owner(Index j) const {
  check_index(j, n_);
  const Index group = group_of(j, n_, p_ / c_);
  return group * c_ + (j - group_begin(group)) % c_;
}

Index Distribution::local_index(Index j) const {
  check_index(j, n_);
  return (j - group_begin(group_of(j, n_, p_ / c_))) / c_;
}

Index Distribution::global_index(Index part, Index t) const {
  const Progression mine = owned(part);
  require(t >= 0 && t < mine.count, "part {} has no local index {} (it owns {} of {} elements)", part, t, mine.count,
          n_);
  return mine.first + t * mine.step;
}

Progression Distribution::owned(Index part) const {
  require(part >= 0 && part < p_, "there is no part {} (the dimension is over {} parts) use 0 to {}", part, p_, p_ - 1);
  const Index group = part / c_;
  const Index begin = group_begin(group);
  const Index size = group_begin(group + 1) - begin;
  const Index place = part % c_;
  if (place >= size) return {};
  return {begin + place, c_, (size - place - 1) / c_ + 1};
}

std::string Distribution::text() const {
  if (p_ == 1) return fmt::format("{}: whole", n_);
  if (c_ == 1) return fmt::format("{}: block over {}", n_, p_);
  if (c_ == p_) return fmt::format("{}: cyclic over {}", n_, p_);
  return fmt::format("{}: group-cyclic over {}, cycle {}", n_, p_, c_);
}

Progression intersection(const Distribution& x, Index a, const Distribution& y, Index b) {
  require(x.extent() == y.extent(),
          "cannot intersect distributions of {} and {} elements (they must deal out the same)", x.extent(), y.extent());
  return intersection(x.owned(a), y.owned(b));
}

Progression intersection(const Progression& a, const Progression& b) {
  if (a.count == 0 || b.count == 0) return {};
  if (a.step != 1 && b.step == 1) return intersection(b, a);
  if (a.step == 1) {  // most are, and then there is nothing to solve
    const Index skipped = a.first > b.first ? (a.first - b.first - 1) / b.step + 1 : 0;
    const Index end = std::min(a.first + a.count, b.first + (b.count - 1) * b.step + 1);
    const Index first = b.first + skipped * b.step;
    return skipped >= b.count || first >= end ? Progression{}
                                              : Progression{first, b.step, (end - first - 1) / b.step + 1};
  }
  const auto [gcd, inverse] = bezout(a.step, b.step);
  const Int128 distance = Int128{b.first} - a.first;
  if (distance % gcd != 0) return {};
  const Index period = b.step / gcd;
  const Int128 lcm = Int128{a.step} * period;
  const Int128 steps = modulo(modulo(distance / gcd, period) * modulo(inverse, period), period);
  Int128 first = a.first + a.step * steps;
  if (first < b.first) first += (b.first - first + lcm - 1) / lcm * lcm;
  const Int128 end = std::min(last(a), last(b));
  if (first > end) return {};
  // A lone element may come with a period no Index can hold; any step describes it.
  const Int128 step = std::min<Int128>(lcm, std::numeric_limits<Index>::max());
  return {static_cast<Index>(first), static_cast<Index>(step), static_cast<Index>((end - first) / lcm + 1)};
}

}  // namespace kallima
