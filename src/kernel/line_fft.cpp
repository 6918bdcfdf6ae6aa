#include "kernel/line_fft.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "kernel/fftw.hpp"

namespace kallima::kernel {
namespace {

fftw_r2r_kind fftw_kind(Kind kind) {
  constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                     FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[static_cast<int>(kind) - static_cast<int>(Kind::dct1)];
}

template <class T>
typename Fftw<T>::Complex* halves(T* reals) {
  return reinterpret_cast<typename Fftw<T>::Complex*>(reals);
}

template <class T>
void* make_plan(const Lines& l, T* in, T* out, unsigned flags) {
  using Axis = typename Fftw<T>::Axis;
  const Axis line{l.length, l.parts, l.parts};
  if (l.kind == Kind::real_to_half)
    return Fftw<T>::to_half(line, {l.count, l.pitch_in, l.pitch_out / 2}, in, halves(out), flags);
  if (l.kind == Kind::half_to_real)
    return Fftw<T>::to_real(line, {l.count, l.pitch_in / 2, l.pitch_out}, halves(in), out, flags);
  if (l.kind == Kind::fourier)
    return Fftw<T>::dft(line, {l.count, l.pitch_in / 2, l.pitch_out / 2}, halves(in), halves(out),
                        l.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  const Axis loops[2] = {{l.count, l.pitch_in, l.pitch_out}, {l.parts, 1, 1}};
  return Fftw<T>::r2r(line, loops, in, out, fftw_kind(l.kind), flags);
}

// On arrays of its own, since measuring overwrites them.
template <class T>
std::shared_ptr<void> made(const Lines& l, Effort effort) {
  const Index line = 2 * l.length + 2;  // reals that either side of any kind takes at most
  const Array<T> in((l.count - 1) * l.pitch_in + line);
  const Array<T> other(l.in_place ? 0 : (l.count - 1) * l.pitch_out + line);
  T* const out = l.in_place ? in.data() : other.data();
  void* plan = planned<T>(effort, [&](unsigned flags) { return make_plan<T>(l, in.data(), out, flags); });
  require(plan != nullptr, "FFTW found no plan for {} lines of length {}", l.count, l.length);
  return {plan, Fftw<T>::destroy};
}

}  // namespace

template <class T>
LineFft<T>::LineFft(const Lines& lines, Effort effort) : kind_(lines.kind) {
  static std::map<std::pair<Lines, Effort>, std::shared_ptr<void>> cache;
  const std::lock_guard lock(fftw_planner);
  std::shared_ptr<void>& plan = cache[{lines, effort}];
  if (!plan) plan = made<T>(lines, effort);
  plan_ = plan;
}

// FFTW takes its input as non-const, but out of place leaves it alone: lines that are not complex are done in place.
template <class T>
void LineFft<T>::operator()(const T* from, T* out) const {
  T* const in = const_cast<T*>(from);
  if (kind_ == Kind::fourier)
    Fftw<T>::run(plan_.get(), halves(in), halves(out));
  else if (kind_ == Kind::real_to_half)
    Fftw<T>::run(plan_.get(), in, halves(out));
  else if (kind_ == Kind::half_to_real)
    Fftw<T>::run(plan_.get(), halves(in), out);
  else
    Fftw<T>::run(plan_.get(), in, out);
}

template class LineFft<float>;
template class LineFft<double>;
template class LineFft<long double>;

}  // namespace kallima::kernel
