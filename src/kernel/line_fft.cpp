#include "kernel/line_fft.hpp"

#include <limits>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "kernel/fftw.hpp"

namespace kallima::kernel {
namespace {

int checked_int(Index value) {
  require(value <= std::numeric_limits<int>::max(),
          "a local transform of length or stride {} is too long (FFTW counts in 32 bits, at most {}): use more ranks",
          value, std::numeric_limits<int>::max());
  return static_cast<int>(value);
}

template <class T>
void* make_plan(const Lines& l, Direction direction, Effort effort) {
  using Complex = typename Fftw<T>::Complex;
  const Index in_size = (l.count - 1) * l.pitch_in + l.length;
  const Index out_size = (l.count - 1) * l.pitch_out + l.length;
  const Array<std::complex<T>> a(in_size);
  const Array<std::complex<T>> b(l.in_place ? 0 : out_size);
  Complex* in = reinterpret_cast<Complex*>(a.data());
  Complex* out = l.in_place ? in : reinterpret_cast<Complex*>(b.data());
  const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
  void* plan = planned<T>(effort, [&](unsigned flags) {
    return Fftw<T>::many(checked_int(l.length), checked_int(l.count), in, checked_int(l.pitch_in), out,
                         checked_int(l.pitch_out), sign, flags);
  });
  require(plan != nullptr, "FFTW found no plan for {} lines of length {}", l.count, l.length);
  return plan;
}

}  // namespace

template <class T>
LineFft<T>::LineFft(const Lines& lines, Direction direction, Effort effort) {
  using Key = std::tuple<Lines, Direction, Effort>;
  static std::map<Key, std::shared_ptr<void>> cache;
  const std::lock_guard lock(fftw_planner);
  std::shared_ptr<void>& plan = cache[Key{lines, direction, effort}];
  if (!plan) plan = std::shared_ptr<void>(make_plan<T>(lines, direction, effort), Fftw<T>::destroy);
  plan_ = plan;
}

template <class T>
void LineFft<T>::operator()(const std::complex<T>* in, std::complex<T>* out) const {
  using Complex = typename Fftw<T>::Complex;
  // FFTW takes its input as non-const, but leaves it alone: FFTW_PRESERVE_INPUT is its default for these transforms.
  Fftw<T>::run(plan_.get(), reinterpret_cast<Complex*>(const_cast<std::complex<T>*>(in)),
               reinterpret_cast<Complex*>(out));
}

template class LineFft<float>;
template class LineFft<double>;
template class LineFft<long double>;

}  // namespace kallima::kernel
