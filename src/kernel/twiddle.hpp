#pragma once
// The twiddle factors of one Pass, tabulated when it is compiled. They vary along the line and with at most one loop.
// A table of all of them is made while it is small; otherwise the loop's index is cut into a coarse and a fine part
// with one table each, and a line is multiplied by a row of both. Every entry of every table is correct to the last
// bit. Tables are those of the forward direction and are shared by all passes of the process that need the same.

#include "base/bits.hpp"
#include "kallima/backend.hpp"
#include "kernel/roots.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {

inline constexpr Index largest_single_table = 1 << 17;  // entries; larger ones would crowd the data out of the caches
inline constexpr Index fine_rows = 8;

// Entries omega^(k (shift + step i)), k < length and i < count: a row for each i, or for each k. With heads, only those
// of k < heads, and of every heads-th k up to the length: so many rows for each `together` of i.
struct TwiddleRequest {
  Index modulus, shift, step, count, length;
  bool by_lane;
  Index heads = 0, together = 0;
  auto operator<=>(const TwiddleRequest&) const = default;
};

inline Index listed_rows(Index length, Index heads) { return heads + length / heads + 1; }

template <class T>
std::vector<std::complex<T>> make_heads(const TwiddleRequest& r) {
  const Roots roots(r.modulus);
  const Index blocks = (r.count + r.together - 1) / r.together, rows = listed_rows(r.length, r.heads);
  std::vector<std::complex<T>> table;
  table.reserve(static_cast<std::size_t>(blocks * rows * r.together));
  for (Index block = 0; block < blocks; ++block)
    for (Index row = 0; row < rows; ++row) {
      const Index k = row < r.heads ? row : (row - r.heads) * r.heads % r.length;
      for (Index i = block * r.together; i < (block + 1) * r.together; ++i) {
        const Int128 exponent = (static_cast<Int128>(r.step) * i + r.shift) % r.modulus * k % r.modulus;
        table.push_back(roots.as<T>(static_cast<Index>(exponent)));
      }
    }
  return table;
}

template <class T>
std::vector<std::complex<T>> make_table(const TwiddleRequest& r) {
  if (r.heads > 0) return make_heads<T>(r);
  const Roots roots(r.modulus);
  std::vector<std::complex<T>> table(static_cast<std::size_t>(r.count * r.length));
  for (Index i = 0; i < r.count; ++i) {
    const Index increment = static_cast<Index>((static_cast<Int128>(r.step) * i + r.shift) % r.modulus);
    for (Index k = 0, exponent = 0; k < r.length; ++k) {
      table[at(r.by_lane ? k * r.count + i : i * r.length + k)] = roots.as<T>(exponent);
      exponent += increment;
      if (exponent >= r.modulus) exponent -= r.modulus;
    }
  }
  return table;
}

template <class T>
using Table = std::shared_ptr<const std::vector<std::complex<T>>>;

template <class T>
Table<T> shared_table(const TwiddleRequest& request) {
  return shared_value<std::vector<std::complex<T>>>(request, [&] { return make_table<T>(request); });
}

// By v or, of two, by v and w. Plain arithmetic, unlike std::complex, which minds infinities, so that it vectorises.
template <bool two, class T>
void multiply_line(T* __restrict x, const T* __restrict v, const T* __restrict w, Index n, T scale, T sign) {
  for (Index k = 0; k < n; ++k) {
    T c = v[2 * k], s = v[2 * k + 1];
    if constexpr (two) {
      c = v[2 * k] * w[2 * k] - v[2 * k + 1] * w[2 * k + 1];
      s = v[2 * k] * w[2 * k + 1] + v[2 * k + 1] * w[2 * k];
    }
    c *= scale;
    s = s * scale * sign;
    const T re = x[2 * k] * c - x[2 * k + 1] * s;
    x[2 * k + 1] = x[2 * k] * s + x[2 * k + 1] * c;
    x[2 * k] = re;
  }
}

template <class T>
class TwiddleTable {
 public:
  using Complex = std::complex<T>;

  TwiddleTable() = default;  // none

  // What a transform of lanes takes for its last round (Butterflies): the factors of the first `count` rows and of
  // every count-th after that. With products of fine and coarse ones in their place, results would be less exact.
  struct Heads {
    Index count = 0;
    bool suffice = false;  // nothing else is asked for
  };

  // `together` consecutive indices of the last loop are handled at once by lane: where the factors vary with that
  // loop, the fine table then has a row for each line element and an entry for each lane. 0: line by line.
  TwiddleTable(const Twiddle& t, Index length, const std::vector<Index>& loops, Index together, Heads heads = {})
      : length_(length) {
    if (t.modulus == 0 || length == 1) return;
    const Index rows = t.loop < 0 || t.step == 0 ? 1 : loops[at(t.loop)];
    if (rows == 1 && t.shift == 0) return;  // all factors are 1
    if (rows > 1) loop_ = t.loop;
    by_lane_ = together > 0 && rows > 1 && t.loop + 1 == static_cast<int>(loops.size());
    empty_ = false;
    if (by_lane_)
      fine_count_ = together;
    else if (rows * length > largest_single_table && rows > fine_rows)
      fine_count_ = fine_rows;
    if (by_lane_ && heads.count > 0) {
      heads_ = heads.count;
      listed_ = shared_table<T>({t.modulus, t.shift, t.step, rows, length, true, heads_, fine_count_});
      if (heads.suffice) return;
    }
    if (fine_count_ > 1) fine_ = shared_table<T>({t.modulus, 0, t.step, fine_count_, length, by_lane_});
    const Index coarse_rows = (rows + fine_count_ - 1) / fine_count_;
    coarse_ = shared_table<T>({t.modulus, t.shift, t.step * fine_count_, coarse_rows, length, false});
  }

  Index heads() const { return heads_; }
  const Complex* listed(Index i) const {  // from lane i on, which is the first of some
    return listed_ ? listed_->data() + i * listed_rows(length_, heads_) : nullptr;
  }

  bool empty() const { return empty_; }
  int loop() const { return loop_; }  // the loop it varies with, -1 if with none
  bool by_lane() const { return by_lane_; }
  void list(std::vector<KernelTable>& tables) const {
    for (const auto* table : {&coarse_, &fine_, &listed_})
      if (*table) tables.push_back({table->get(), (*table)->size() * sizeof(Complex)});
  }

  // The coarse factors of a line for index i of that loop.
  const Complex* row(Index i) const { return coarse_ ? coarse_->data() + i / fine_count_ * length_ : nullptr; }
  // The fine ones: for one line, or by lane, where `fine_count` lanes of one element are neighbours.
  const Complex* fine_row(Index i) const { return fine_ ? fine_->data() + i % fine_count_ * length_ : nullptr; }
  const Complex* fine_lanes() const { return fine_ ? fine_->data() : nullptr; }
  Index fine_count() const { return fine_count_; }

  void multiply(Complex* line, Index i, T scale, Direction direction) const {
    const T sign = direction == Direction::forward ? T(1) : T(-1);
    const auto multiply = fine_ ? multiply_line<true, T> : multiply_line<false, T>;
    multiply(reinterpret_cast<T*>(line), reinterpret_cast<const T*>(row(i)), reinterpret_cast<const T*>(fine_row(i)),
             length_, scale, sign);
  }

 private:
  Index length_ = 0;
  int loop_ = -1;
  bool by_lane_ = false;
  Index fine_count_ = 1;
  Index heads_ = 0;
  bool empty_ = true;  // all factors are 1
  Table<T> listed_;
  Table<T> coarse_;
  Table<T> fine_;
};

}  // namespace kallima::kernel
