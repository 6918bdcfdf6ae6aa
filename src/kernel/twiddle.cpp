#include "kernel/twiddle.hpp"

#include <map>
#include <mutex>

#include "base/bits.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {
namespace {

constexpr Index largest_single_table = Index{1} << 17;  // entries: larger ones would crowd the data out of the caches
constexpr Index fine_rows = 8;

// Entries omega^(k (shift + step i)), k < length and i < count: a row for each i, or for each k.
struct Request {
  Index modulus, shift, step, count, length;
  bool by_lane;
  auto operator<=>(const Request&) const = default;
};

template <class T>
std::vector<std::complex<T>> make_table(const Request& r) {
  const Roots roots(r.modulus);
  std::vector<std::complex<T>> table(static_cast<std::size_t>(r.count * r.length));
  for (Index i = 0; i < r.count; ++i) {
    const Index increment = static_cast<Index>((static_cast<Int128>(r.step) * i + r.shift) % r.modulus);
    for (Index k = 0, exponent = 0; k < r.length; ++k) {
      table[static_cast<std::size_t>(r.by_lane ? k * r.count + i : i * r.length + k)] = roots.as<T>(exponent);
      exponent += increment;
      if (exponent >= r.modulus) exponent -= r.modulus;
    }
  }
  return table;
}

template <class T>
using Table = std::shared_ptr<const std::vector<std::complex<T>>>;

// Kept only as long as somebody uses it; made outside the lock would be made twice, so it is made inside.
template <class T>
Table<T> shared_table(const Request& request) {
  static std::mutex mutex;
  static std::map<Request, std::weak_ptr<const std::vector<std::complex<T>>>> known;
  const std::lock_guard lock(mutex);
  Table<T> table = known[request].lock();
  if (!table) known[request] = table = std::make_shared<const std::vector<std::complex<T>>>(make_table<T>(request));
  return table;
}

// By v or, of two, by v and w. std::complex multiplication checks for infinities; this loop is plain arithmetic, so
// that it vectorises.
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

}  // namespace

template <class T>
TwiddleTable<T>::TwiddleTable(const Twiddle& t, Index length, const std::vector<Index>& loops, Index together)
    : length_(length) {
  if (t.modulus == 0 || length == 1) return;
  const Index rows = t.loop < 0 || t.step == 0 ? 1 : loops[static_cast<std::size_t>(t.loop)];
  if (rows == 1 && t.shift == 0) return;  // all factors are 1
  if (rows > 1) loop_ = t.loop;
  by_lane_ = together > 0 && rows > 1 && t.loop + 1 == static_cast<int>(loops.size());
  if (by_lane_)
    fine_count_ = together;
  else if (rows * length > largest_single_table && rows > fine_rows)
    fine_count_ = fine_rows;
  if (fine_count_ > 1) fine_ = shared_table<T>({t.modulus, 0, t.step, fine_count_, length, by_lane_});
  const Index coarse_rows = (rows + fine_count_ - 1) / fine_count_;
  coarse_ = shared_table<T>({t.modulus, t.shift, t.step * fine_count_, coarse_rows, length, false});
}

template <class T>
std::size_t TwiddleTable<T>::bytes() const {
  return ((coarse_ ? coarse_->size() : 0) + (fine_ ? fine_->size() : 0)) * sizeof(Complex);
}

template <class T>
void TwiddleTable<T>::multiply(Complex* line, Index i, T scale, Direction direction) const {
  const T sign = direction == Direction::forward ? T(1) : T(-1);
  const auto multiply = fine_ ? multiply_line<true, T> : multiply_line<false, T>;
  multiply(reinterpret_cast<T*>(line), reinterpret_cast<const T*>(row(i)), reinterpret_cast<const T*>(fine_row(i)),
           length_, scale, sign);
}

template class TwiddleTable<float>;
template class TwiddleTable<double>;
template class TwiddleTable<long double>;

}  // namespace kallima::kernel
