#include "kernel/lane_fft.hpp"

#include "base/check.hpp"
#include "kernel/lane_stage.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {
namespace {

constexpr Index longest_short = 512;  // with eight lanes, two tiles of it are 128 KiB in double precision

// Calls then() with the radix, which is one of these, as a constant.
template <int first, int... others, class Then>
void with_radix(Index radix, const Then& then) {
  if (radix == first)
    then(std::integral_constant<int, first>{});
  else if constexpr (sizeof...(others) > 0)
    with_radix<others...>(radix, then);
}

template <class T, class Stage, class In>
void any_stage(const Stage& it, const In& in, const TileRows<T>& out, Index start, Index blocks) {
  with_radix<2, 3, 4, 5, 8>(it.radix,
                            [&](auto radix) { stage<T, radix()>(in, out, it.m, start, blocks, it.twiddles.data()); });
}

template <class T, class In, class Out>
void any_last_stage(Index radix, const In& in, const Out& out, const std::vector<Index>& order, Butterflies which,
                    Index lanes, const typename LaneFft<T>::Factors& factors) {
  with_radix<2, 3, 4, 5, 8>(radix, [&](auto r) { last_stage<T, r()>(in, out, order, which, lanes, factors); });
}

bool all_near(const auto& list, Index count) {
  Index k = list.near ? count : 0;
  while (k < count && list.rows[k * list.step].stride == 1) ++k;
  return k == count;
}

// Calls then(rows) with the caller's rows, whose lanes are neighbours in all of them or taken not to be in any.
template <class T, bool backward, class C, class Then>
void with_rows(const RowList<C>& list, Index count, Index first, const Then& then) {
  if (all_near(list, count))
    then(ListedRows<T, backward, C, true>{list.rows, list.step, first});
  else
    then(ListedRows<T, backward, C, false>{list.rows, list.step, first});
}

// Rows of neighbours that all fall into the same sets of a cache drive each other out before a line is used up.
template <class C>
bool meet_in_cache(const RowList<C>& list) {
  constexpr Index way = 16384;  // bytes; of a first-level cache
  return list.near && (list.rows[list.step].p - list.rows[0].p) * static_cast<Index>(sizeof(C)) % way == 0;
}

// The rows in a tile, where they do not.
template <class T, class In>
const TileRows<T>& copied(const In& in, const TileRows<T>& tile, Index count) {
  for (Index k = 0; k < count; ++k) {
    if (k + copies_ahead < count) in.template prefetch<0>(k + copies_ahead, tile.lanes);
    const auto from = in[k];
    const auto to = tile[k];
    for (Index b = 0; b < tile.lanes; b += Pack<T>::lanes) to.store(b, from.load(b));
  }
  return tile;
}

// Few stages, and no radix 2 beside an 8: 16 is 4*4, 32 is 8*4.
std::vector<Index> radices_of(Index n) {
  std::vector<Index> radices;
  for (const Index r : {5, 3})
    for (; n % r == 0; n /= r) radices.push_back(r);
  while (n % 8 == 0 && n != 16) {
    radices.push_back(8);
    n /= 8;
  }
  for (; n % 4 == 0; n /= 4) radices.push_back(4);
  if (n == 2) radices.push_back(2);
  return radices;
}

// The length of the first round's transforms: about the root of a long length, 1 for a short one.
Index first_round(Index n) {
  Index best = 1;
  if (n > longest_short)
    for (Index d = 2; d * d <= n; ++d)
      if (n % d == 0) best = d;
  return best;
}

}  // namespace

template <class T>
bool LaneFft<T>::supports(Index n) {
  if (n < 2 || !has_vectors<T>) return false;
  for (const Index r : {2, 3, 5})
    while (n % r == 0 && n > 1) n /= r;
  return n == 1;
}

template <class T>
Index LaneFft<T>::granularity() {
  if constexpr (has_vectors<T>)
    return Pack<T>::lanes;
  else
    return 1;
}

template <class T>
LaneFft<T>::LaneFft(Index length, Direction direction) : length_(length), direction_(direction) {
  if (const Index across = first_round(length); across > 1) {
    const Index along = length / across;
    rounds_ = {LaneFft(across, direction), LaneFft(along, direction)};
    const Roots roots(length);
    for (Index p = 0; p < along; ++p)
      for (Index u = 0; u < across; ++u) between_.push_back(roots.as<T>(p * u));
    return;
  }
  Index left = length;
  Index s = 1;
  for (const Index radix : radices_of(length)) {
    Stage stage{.radix = radix, .m = left / radix, .s = s, .twiddles = {}};
    const Roots roots(left);
    if (stage.m > 1)
      for (Index p = 0; p < stage.m; ++p)
        for (Index u = 1; u < radix; ++u) stage.twiddles.push_back(roots.as<T>(p * u));
    stages_.push_back(std::move(stage));
    left /= radix;
    s *= radix;
  }
  order_ = {0};
  for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {  // the block of k is its digits in reverse
    std::vector<Index> longer;
    for (Index u = 0; u < stages_[i].radix; ++u)
      for (const Index block : order_) longer.push_back(block * stages_[i].radix + u);
    order_ = longer;
  }
}

template <class T>
Index LaneFft<T>::tile_rows() const {
  if (!rounds_.empty())  // and a row for the padding of each group
    return length_ + rounds_[1].length_ + std::max(rounds_[0].tile_rows(), rounds_[1].tile_rows());
  return stages_.size() <= 1 ? 0 : length_;
}

template <class T>
void LaneFft<T>::operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const {
  if constexpr (!has_vectors<T>)
    fail("lanes of {} bytes are no vector's (supports() says so for every length)", sizeof(T));
  else if (!rounds_.empty())
    run_rounds(rows, first, lanes, factors, tile);
  else if (direction_ == Direction::backward)
    run_stages<true>(rows, first, lanes, factors, tile);
  else
    run_stages<false>(rows, first, lanes, factors, tile);
}

// Transforms of every `along`-th row, twiddle factors, transforms of the neighbours that result.
template <class T>
void LaneFft<T>::run_rounds(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const {
  const Index across = rounds_[0].length_;
  const Index along = rounds_[1].length_;
  // Groups of rows are a cache line further apart than they need be, or the second round would meet one cache set only.
  const Index group = across * lanes + std::min<Index>(lanes, 64 / static_cast<Index>(sizeof(Complex)));
  Complex* const scratch = tile + along * group;
  Scratch<Row<Complex>> to(static_cast<std::size_t>(across));
  Scratch<Row<const Complex>> from(static_cast<std::size_t>(along));
  for (Index p = 0; p < along; ++p) {
    // The tile's rows start at lane 0 where the caller's start at `first`: a shift that the row pointer takes back.
    for (Index u = 0; u < across; ++u) to[at(u)] = {tile + p * group + u * lanes - first, 1};
    rounds_[0]({{rows.in.rows + p * rows.in.step, rows.in.near, along * rows.in.step}, {to.data(), true}}, first, lanes,
               {.row = p == 0 ? nullptr : &between_[at(p * across)]}, scratch);
  }
  for (Index q = 0; q < across; ++q) {
    for (Index j = 0; j < along; ++j) from[at(j)] = {tile + j * group + q * lanes - first, 1};
    Factors mine = factors;
    if (mine.row != nullptr) mine.row += q * factors.step;
    if (mine.fine != nullptr) mine.fine += q * factors.fine_stride;
    mine.step *= across;
    mine.fine_stride *= across;
    rounds_[1]({{from.data(), true}, {rows.out.rows + q * rows.out.step, rows.out.near, across * rows.out.step}}, first,
               lanes, mine, scratch);
  }
}

// After the first stage, its blocks are transforms of their own. Each is brought to its end while it is in cache.
template <class T>
template <bool backward>
void LaneFft<T>::run_stages(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const {
  if (stages_.size() == 1)
    return with_rows<T, backward>(rows.in, length_, first, [&](const auto& source) {
      with_rows<T, backward>(rows.out, length_, first, [&](const auto& target) {
        any_last_stage<T>(stages_[0].radix, source, target, order_, {0, 1}, lanes, factors);
      });
    });
  const TileRows<T> between{reinterpret_cast<T*>(tile), lanes};
  const Stage& head = stages_.front();
  with_rows<T, backward>(rows.in, length_, first, [&](const auto& source) {
    if (meet_in_cache(rows.in))
      any_stage<T>(head, copied(source, between, length_), between, 0, 1);
    else
      any_stage<T>(head, source, between, 0, 1);
  });
  with_rows<T, backward>(rows.out, length_, first, [&](const auto& target) {
    for (Index block = 0; block < head.radix; ++block) {
      for (std::size_t i = 1; i + 1 < stages_.size(); ++i)
        any_stage<T>(stages_[i], between, between, block * head.m, stages_[i].s / head.radix);
      any_last_stage<T>(stages_.back().radix, between, target, order_, {block, head.radix}, lanes, factors);
    }
  });
}

template class LaneFft<float>;
template class LaneFft<double>;
template class LaneFft<long double>;

}  // namespace kallima::kernel
