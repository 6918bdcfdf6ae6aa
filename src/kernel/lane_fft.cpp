#include "kernel/lane_fft.hpp"

#include <algorithm>
#include <functional>

#include "kernel/convolution_fft.hpp"
#include "kernel/lane_call.hpp"
#include "kernel/lane_moves.hpp"
#include "kernel/lane_rounds.hpp"

namespace kallima::kernel {
template <class T>
Index LaneFft<T>::granularity() {
  return codelets<T>().lanes;
}

template <class T>
LaneFft<T>::LaneFft(Index length, Direction direction, const RowsThatMeet& meet)
    : length_(length), direction_(direction), copied_(copied<T>(length, meet)) {
  const Index across = first_part(length), along = length / across;
  if (across > 1) {
    const bool meets = along * static_cast<Index>(sizeof(Complex)) % page_bytes == 0;
    parts_ = {LaneFft(across, direction, {.sources = meets}), LaneFft(along, direction, {.targets = meet.targets})};
    list_single_line();
    if (length <= longest_by_lanes) {
      const Roots roots(length);
      for (Index p = 0; p < along; ++p)
        for (Index u = 0; u < across; ++u) between_.push_back(roots.as<T>(p * u));
    }
  }
  if (!has_small_factors(length)) {
    if (across == 1) convolution_ = std::make_shared<ConvolutionFft<T>>(length, direction);
    return;
  }
  if (length > longest_line) return;
  Index left = length;
  for (const Index radix : radices_between(meet)) {
    Round round{.radix = radix, .m = left / radix, .pairs = {}, .waves = {}, .run = codelet_of<T>(radix)};
    if (round.run == codelets<T>().prime) round.waves = waves_of<T>(radix);
    const Roots roots(left);
    if (round.m > 1)
      for (Index p = 0; p < round.m; ++p)
        for (Index u = 0; u < radix; ++u) round.pairs.push_back(roots.as<T>(p * u));
    rounds_.push_back(std::move(round));
    left /= radix;
  }
  order_ = {{}};
  Index left_of = length;  // digits of k, the first radix's least significant: in the tile it is most
  for (const Round& round : rounds_) {
    left_of /= round.radix;
    std::vector<Place> longer;
    for (Index u = 0; u < round.radix; ++u)
      for (Place place : order_) {
        if (order_.size() == 1)
          place.block = u;
        else
          place.within += u * left_of;
        longer.push_back(place);
      }
    order_ = std::move(longer);
  }
  for (Index k = 0; k < length; ++k) {
    const Place& it = order_[at(k == 0 || direction == Direction::forward ? k : length - k)];
    lines_in_.push_back(k * vector_);
    lines_out_.push_back((it.block * rounds_.front().m + it.within) * vector_);
  }
}

// Of rows that are copied into the tile the longest round is first: what the others read there is apart enough.
template <class T>
std::vector<Index> LaneFft<T>::radices_between(const RowsThatMeet& meet) const {
  const RowsThatMeet in_rounds{meet.sources && !copied_.sources, meet.targets && !copied_.targets};
  std::vector<Index> radices = radices_of<T>(length_, in_rounds, copied_.sources ? several : few);
  if (copied_.sources) std::sort(radices.begin(), radices.end() - 1, std::greater{});
  return radices;
}

// Of a line by itself the neighbours among its elements are lanes: first every `along`-th is transformed, then the
// results that are neighbours. Of lanes that do not fill a vector at the end, some are done twice.
template <class T>
void LaneFft<T>::list_single_line() {
  const Index across = parts_[0].length_, along = parts_[1].length_;
  if (across < vector_) return;
  const Index lanes = single_.lanes = std::max(vector_, static_cast<Index>(single_run_bytes / sizeof(Complex)));
  const Roots roots(length_);
  for (Index u = 0; u < across; ++u)
    for (Index b = 0; b < lanes; ++b) single_.fine.push_back(roots.as<T>(u * b % length_));
  each_block(along, [&](Index p, Index) {
    for (Index u = 0; u < across; ++u) single_.coarse.push_back(roots.as<T>(u * p));
  });
}

// Calls block(first, lanes) for all lanes, whole vectors at a time.
template <class T>
void LaneFft<T>::each_block(Index lanes, const auto& block) const {
  const Index whole = lanes / vector_ * vector_;
  for (Index b = 0; b < whole; b += single_.lanes) block(b, std::min(single_.lanes, whole - b));
  if (whole < lanes) block(lanes - vector_, vector_);
}

template <class T>
bool LaneFft<T>::takes_single_lines() const {
  return convolution_ ? convolution_->takes_single_lines() : single_.lanes > 0;
}

template <class T>
Index LaneFft<T>::single_pitch() const {
  return parts_[1].length_ + static_cast<Index>(64 / sizeof(Complex));
}

template <class T>
Index LaneFft<T>::line_tile_elements() const {
  if (convolution_) return convolution_->line_tile_elements();
  return parts_[0].length_ * single_pitch() +
         std::max(parts_[0].tile_elements(single_.lanes), parts_[1].tile_elements(single_.lanes));
}

template <class T>
void LaneFft<T>::run_line(const Complex* in, Complex* out, Complex* tile) const {
  if (convolution_) return convolution_->run_line(in, out, tile);
  const Index across = parts_[0].length_, along = parts_[1].length_, pitch = single_pitch();
  Complex* const scratch = tile + across * pitch;
  const Complex* coarse = single_.coarse.data();
  each_block(along, [&](Index p, Index lanes) {
    parts_[0]({{.base = in, .pitch = along, .lane_stride = 1}, {.base = tile, .pitch = pitch, .lane_stride = 1}}, p,
              lanes, {.row = coarse, .fine = single_.fine.data(), .fine_stride = single_.lanes}, scratch);
    coarse += across;
  });
  each_block(across, [&](Index q, Index lanes) {
    parts_[1]({{.base = tile, .pitch = 1, .lane_stride = pitch}, {.base = out, .pitch = across, .lane_stride = 1}}, q,
              lanes, {}, scratch);
  });
}

// A vector of lanes at a time, whose lines are put together, transformed one by one, and taken apart.
template <class T>
void LaneFft<T>::run_singly(const Rows& rows, Index first, Index lanes, Factors factors, Complex* tile) const {
  const ButterflyCodelet<T> copy = codelets<T>().butterflies(1);
  const RowsOf<T> lines = rows_of<T>(RowList<Complex>{.base = tile, .pitch = 1, .lane_stride = length_}, 0, vector_);
  for (Index b = 0; b < lanes; b += vector_) {
    copy({.in = rows_of<T>(rows.in, first + b, vector_), .out = lines, .count = length_, .lanes = vector_});
    for (Index v = 0; v < vector_; ++v) run_line(tile + v * length_, tile + v * length_, tile + vector_ * length_);
    Butterflies<T> last{
        .in = lines, .out = rows_of<T>(rows.out, first + b, vector_), .count = length_, .lanes = vector_};
    factors.tell(last, direction_);
    copy(last);
    if (factors.fine != nullptr) factors.fine += vector_;
  }
}

// Lines, and what becomes of them, stay in half a first-level cache.
template <class T>
Index LaneFft<T>::lines_at_once() const {
  const Index fit = 32 * 1024 / (2 * length_ * static_cast<Index>(sizeof(Complex)));
  return std::max<Index>(1, fit / vector_) * vector_;
}

template <class T>
Index LaneFft<T>::tile_elements(Index lanes, Sources sources) const {
  if (length_ > longest_by_lanes) return vector_ * length_ + line_tile_elements();
  if (convolution_) return convolution_->tile_elements(lanes);
  Index most = 0;
  if (!parts_.empty())  // gathered lines, what is between the parts, a part's own, and factors
    most = (sources == Sources::apart ? gathered_elements(lanes) : 0) + length_ * lanes +
           parts_[1].length_ * padding<T>(lanes) +
           std::max(parts_[0].tile_elements(lanes), parts_[1].tile_elements(lanes)) +
           joined_elements(parts_[1].last_radix(), lanes);
  if (!rounds_.empty())  // lines, and factors in two forms
    most = std::max(most, length_ * (lanes + 1) + pads() + joined_elements(rounds_.back().radix, lanes));
  return most;
}

// The radix of the last round of lanes that are neighbours; 1: there is none, rows are copied in the end.
template <class T>
Index LaneFft<T>::last_radix() const {
  if (!rounds_.empty() && (parts_.empty() || length_ <= longest_near)) return rounds_.back().radix;
  return parts_.empty() ? 1 : parts_[1].last_radix();
}

template <class T>
Index LaneFft<T>::gathered_elements(Index lanes) const {
  return length_ * lanes + parts_[0].length_ * padding<T>(lanes);
}

template <class T>
bool LaneFft<T>::heads_suffice() const {
  return rounds_.empty() || parts_.empty() || rounds_.back().radix == parts_[1].last_radix();
}

// At most a quarter of what is transformed.
template <class T>
Index LaneFft<T>::heads() const {
  if (length_ > longest_by_lanes || convolution_) return 0;
  const Index radix = last_radix(), rows = length_ / radix;
  return radix > 1 && 4 * (rows + radix) <= length_ ? rows : 0;
}

template <class T>
Index LaneFft<T>::joined_elements(Index radix, Index lanes) const {
  return (length_ / radix + radix + 1) * lanes;
}

// Of the table of a forward transform, for a backward one.
template <class T>
void conjugate_rows(const std::complex<T>* from, Index pitch, Index rows, T scale, std::complex<T>* to, Index lanes) {
  for (Index k = 0; k < rows; ++k) {
    const T* __restrict x = reinterpret_cast<const T*>(from + k * pitch);
    T* __restrict y = reinterpret_cast<T*>(to + k * lanes);
    for (Index b = 0; b < 2 * lanes; b += 2) {
      y[b] = scale * x[b];
      y[b + 1] = -scale * x[b + 1];
    }
  }
}

// Of factors by lane those that the last round needs, put together: with a table of all rows a long transform would
// drive its tile out of a second-level cache.
template <class T>
RowFactors<T> LaneFft<T>::joined(const Factors& factors, Index radix, Index lanes, Complex* to) const {
  if (factors.fine == nullptr || factors.tails != nullptr || radix == 1) return factors;
  const Index heads = length_ / radix;
  if (factors.listed != nullptr && factors.heads == heads) {
    const Index pitch = factors.fine_stride;
    const Complex* const tails = factors.listed + heads * pitch;
    if (direction_ == Direction::backward) {
      conjugate_rows(factors.listed, pitch, heads, factors.scale, to, lanes);
      conjugate_rows(tails + radix * pitch, -pitch, radix + 1, T(1), to + heads * lanes, lanes);
      return {.fine = to, .fine_stride = lanes, .tails = to + heads * lanes, .tails_stride = lanes};
    }
    Factors last{.fine = factors.listed, .fine_stride = pitch, .tails = tails, .tails_stride = pitch};
    if (factors.scale == T(1)) return last;
    for (Index h = 0; h < heads; ++h)
      for (Index b = 0; b < lanes; ++b) to[h * lanes + b] = factors.scale * factors.listed[h * pitch + b];
    last.fine = to;
    last.fine_stride = lanes;
    return last;
  }
  const auto join = [&](Index step, Index count, T scale, Complex* rows, Index pitch) {
    const RowList<const Complex> fine{.base = factors.fine, .pitch = step * factors.fine_stride, .lane_stride = 1};
    codelets<T>().butterflies(1)(
        {.in = rows_of<T>(fine, 0, lanes),
         .out = rows_of<T>(RowList<Complex>{.base = rows, .pitch = pitch, .lane_stride = 1}, 0, lanes),
         .count = count,
         .lanes = lanes,
         .multiply = Multiply::by_row,
         .rows = factors.row,
         .rows_step = step * factors.step,
         .scale = scale});
  };
  Complex* const tails = to + heads * lanes;
  join(1, heads, factors.scale, to, lanes);
  if (direction_ == Direction::forward) {
    join(heads, radix, T(1), tails, lanes);
  } else {  // backwards, as rows are
    join(heads, 1, T(1), tails, lanes);
    join(heads, radix, T(1), tails + radix * lanes, -lanes);
    for (Complex* w = to; w < tails + (radix + 1) * lanes; ++w) *w = std::conj(*w);
  }
  return {.fine = to, .fine_stride = lanes, .tails = tails, .tails_stride = lanes};
}

// Between blocks that the first round leaves.
template <class T>
Index LaneFft<T>::pads() const {
  return rounds_.front().radix * static_cast<Index>(64 / sizeof(Complex));
}

// Whether rows are neighbours in lines, a vector of them at least.
template <class T>
template <class C>
bool LaneFft<T>::is_turned(const RowList<C>& list) const {
  return list.every > 0 && length_ / list.every >= vector_;
}

template <class T>
void LaneFft<T>::operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const {
  if (length_ > longest_by_lanes) return run_singly(rows, first, lanes, factors, tile);
  if (convolution_) return (*convolution_)(rows, first, lanes, factors, tile);
  const bool lines = rows.in.lane_stride > 1 && rows.out.lane_stride > 1;
  const bool in_one = !rounds_.empty() && (lines || (rows.in.lane_stride == 1 && length_ <= longest_near));
  if (!parts_.empty() && !in_one) return run_parts(rows, first, lanes, factors, tile);
  if (const Index some = lines ? lines_at_once() : lanes; lanes > some) {
    for (Index b = 0; b < lanes; b += some) {
      (*this)(rows, first + b, std::min(some, lanes - b), factors.from_lane(b), tile);
    }
    return;
  }
  const bool rounds = rounds_.size() > 1;
  // Vectors of lanes that are apart can be put together on the way, but a line's neighbours are better taken together.
  const bool brief = length_ <= longest_brief && !copied_.far && (vector_ == 1 || (rounds && factors.fine == nullptr));
  const bool turned = lines && vector_ > 1 && length_ > longest_apart;
  const auto apart = [&](const auto& list) { return list.lane_stride != 1 && !lines && !brief; };
  const Index pad = lanes > vector_ && !lines ? static_cast<Index>(64 / sizeof(T)) : 0;
  const Index pitch = 2 * (lines ? vector_ : lanes);
  const Round& head = rounds_.front();
  Complex* const pairs = tile + length_ * lanes + pads();
  const Factors last = joined(factors, rounds_.back().radix, lanes, pairs + length_);
  const Call call{.rows = rows,
                  .first = first,
                  .lanes = lanes,
                  .factors = last,
                  .tile = reinterpret_cast<T*>(tile),
                  .pairs = pairs,
                  .pitch = pitch,
                  .group = head.m * pitch + pad,
                  .vector = vector_,
                  .vector_at = lines ? length_ * pitch : 2 * vector_,
                  .lines = lines,
                  .gathered = apart(rows.in) || (lines && vector_ > 1 && !rounds) || (turned && is_turned(rows.in)) ||
                              (rounds && copied_.sources && rows.in.lane_stride == 1),
                  .scattered = apart(rows.out) ||
                               (rounds && (copied_.targets || rows.out.streamed) && rows.out.lane_stride == 1) ||
                               (lines && vector_ > 1 && factors.fine != nullptr) || (turned && is_turned(rows.out)),
                  .reversed = direction_ == Direction::backward ? length_ : 0};
  if (call.gathered) gather(call);
  if (rounds_.size() == 1)
    run_last(call, {call.tile, 1, 0, call.group, 0, 1, 1});
  else
    run_round(0, call, call.tile, 0, 1);
  if (call.scattered) scatter(call);
}

// Transforms of every `along`-th row, twiddle factors, transforms of the neighbours that result.
template <class T>
void LaneFft<T>::run_parts(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const {
  const Index across = parts_[0].length_, along = parts_[1].length_;
  const Index group = across * lanes + padding<T>(lanes);
  Complex* const between = tile + (rows.in.lane_stride != 1 ? gathered_elements(lanes) : 0);
  Complex* const scratch = between + along * group;
  const Factors last = joined(factors, parts_[1].last_radix(), lanes,
                              scratch + std::max(parts_[0].tile_elements(lanes), parts_[1].tile_elements(lanes)));
  RowList<const Complex> from = rows.in;
  if (from.lane_stride != 1) {
    const Index apart = along * lanes + padding<T>(lanes);
    const Call call{.rows = rows,
                    .first = first,
                    .lanes = lanes,
                    .factors = factors,
                    .tile = reinterpret_cast<T*>(tile),
                    .pairs = nullptr,
                    .pitch = 2 * lanes,
                    .group = 2 * apart,
                    .vector = vector_,
                    .vector_at = 2 * vector_,
                    .lines = false,
                    .gathered = true,
                    .scattered = false,
                    .reversed = 0};
    each_element(
        call, rows.in, call.in_order(along), [](Index k) { return k; },
        [](const Complex& outside, Complex& inside) { inside = outside; });
    from = {.base = tile - first, .pitch = apart, .lane_stride = 1};
  }
  // Some rows of a list, whose lanes are counted from the same.
  const auto some = []<class C>(RowList<C> list, Index start, Index step) {
    list.every = 0;
    if (list.rows != nullptr) {
      list.rows += start * list.step;
      list.step *= step;
    } else {
      list.base += start * list.pitch;
      list.pitch *= step;
    }
    return list;
  };
  const bool ours = rows.in.lane_stride != 1;
  for (Index p = 0; p < along; ++p)
    parts_[0]({ours ? RowList<const Complex>{.base = from.base + p * lanes, .pitch = from.pitch, .lane_stride = 1}
                    : some(from, p, along),
               {.base = between + p * group - first, .pitch = lanes, .lane_stride = 1}},
              first, lanes, {.row = p == 0 ? nullptr : &between_[static_cast<std::size_t>(p * across)]}, scratch);
  for (Index q = 0; q < across; ++q) {
    Factors mine = last;
    if (mine.row != nullptr) mine.row += q * last.step;
    if (mine.fine != nullptr) mine.fine += q * last.fine_stride;
    mine.step *= across;
    mine.fine_stride *= across;
    parts_[1]({{.base = between + q * lanes - first, .pitch = group, .lane_stride = 1}, some(rows.out, q, across)},
              first, lanes, mine, scratch);
  }
}

template <class T>
void LaneFft<T>::run_round(std::size_t number, const Call& call, T* block, Index first_out, Index out_step) const {
  const Round& round = rounds_[number];
  const Index apart = number == 0 ? call.group : round.m * call.pitch;
  const RowsOf<T> inside = call.in_tile(block, call.pitch, apart);
  const bool outside = number == 0 && !call.gathered;
  call.run(round.run, {.in = outside ? call.of(call.rows.in, 0, 1, round.m) : inside,
                       .out = inside,
                       .count = round.m,
                       .multiply = Multiply::by_pair,
                       .pairs = round.pairs.data(),
                       .prime = round.radix,
                       .waves = round.waves.data()});
  if (number + 2 == rounds_.size())
    return run_last(call, {block, round.radix, apart, call.pitch, first_out, out_step, out_step * round.radix});
  for (Index q = 0; q < round.radix; ++q)
    run_round(number + 1, call, block + q * apart, first_out + q * out_step, out_step * round.radix);
}

template <class T>
void LaneFft<T>::run_last(const Call& call, const Blocks& blocks) const {
  const RowsOf<T> inside = call.in_tile(blocks.block, blocks.apart, blocks.row_apart);
  const bool outside = rounds_.size() == 1 && !call.gathered;
  Butterflies<T> it{.in = outside ? call.of(call.rows.in, 0, 1, 1) : inside,
                    .out = inside,
                    .count = blocks.count,
                    .reversed = call.reversed,
                    .prime = rounds_.back().radix,
                    .waves = rounds_.back().waves.data()};
  call.factors.tell(it, direction_);
  it.out.first = blocks.first;
  it.out.each = blocks.each;
  it.out.step = blocks.step;
  const ButterflyCodelet<T>& codelet = rounds_.back().run;
  if (call.scattered && it.multiply == Multiply::by_row) list_pairs(it, call.pairs);
  if (call.scattered) return call.run(codelet, it);
  const RowList<Complex>& to = call.rows.out;
  it.out = call.of(to, blocks.first, blocks.each, blocks.step);
  if (call.reversed == 0 || to.rows != nullptr) return call.run(codelet, it);
  // Backwards, rows 1, 2, ... stand at -1, -2, ... from the end, and row 0 where it always does.
  it.out.each_at = -it.out.each_at;
  it.out.step_at = -it.out.step_at;
  it.out.base += (length_ - blocks.first) * it.out.pitch;
  if (blocks.first == 0) {
    Butterflies<T> head = it;
    head.out = call.of(to, 0, blocks.each, blocks.step);
    head.out.each_at = 0;  // which is not for numbers that are reversed
    head.count = 1;
    call.run(codelet, head);
    if (--it.count == 0) return;
    it.in.base += it.in.each_at;
    it.out.first += it.out.each;
    it.out.base += it.out.each_at;
  }
  it.out.pitch = 0;
  call.run(codelet, it);
}

template class LaneFft<float>;
template class LaneFft<double>;
template class LaneFft<long double>;

}  // namespace kallima::kernel
