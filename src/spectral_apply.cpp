// Forward, the caller's function, backward. The spectrum stays where forward leaves it.

#include "base/check.hpp"
#include "fft_impl.hpp"

namespace kallima {

template <class T>
void detail::FftImpl<T>::apply(const Reals<const T>& in, const Reals<T>& out, const OnLines<T>& f, Norm norm) {
  const Plan& plan = *compiled.plan;
  const bool real = plan.data_out() == Data::real_;
  require(real ? f.real_lines != nullptr : f.complex_lines != nullptr,
          "the function is for {} numbers, but this spectrum holds {} (Problem::kinds): take SpectrumLine<{}>",
          real ? "complex" : "real", real ? "reals" : "complex numbers", real ? "T" : "Complex");
  const WaveNumbers numbers(plan.problem(), plan.layout_out(), comm.rank());
  Array<Complex> room(real ? (numbers.size() + 1) / 2 : numbers.size());
  T* const first = reinterpret_cast<T*>(room.data());
  const std::span<T> reals(first, static_cast<std::size_t>(numbers.size()));
  if (real) {
    run(Direction::forward, in, Reals<T>(reals), Norm::none);
    numbers.for_each_line(reals, 0, f.real_lines);
    run(Direction::backward, Reals<const T>(std::span<const T>(reals)), out, norm);
  } else {
    run(Direction::forward, in, Reals<T>(room.span()), Norm::none);
    numbers.for_each_line(room.span(), 0, f.complex_lines);
    run(Direction::backward, Reals<const T>(std::span<const Complex>(room.span())), out, norm);
  }
}

template void detail::FftImpl<float>::apply(const Reals<const float>&, const Reals<float>&, const OnLines<float>&,
                                            Norm);
template void detail::FftImpl<double>::apply(const Reals<const double>&, const Reals<double>&, const OnLines<double>&,
                                             Norm);

}  // namespace kallima
