// Every axis is done on complex numbers: the Fourier transform as it is, a cosine or sine transform on real and
// imaginary parts alike. Reals have no imaginary parts, and half of a spectrum is cut out of all of it.

#include "bench/reference.hpp"

#include <mutex>

#include "app/check.hpp"
#include "bench/fftw_names.hpp"

namespace kallima::cli {
namespace {

struct Lines {
  int length;
  int before;  // lines are `before` times `after` apart
  int after;
};

Lines lines_of(const Shape& shape, std::size_t axis) {
  Lines lines{static_cast<int>(shape[axis]), 1, 1};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) lines.before *= static_cast<int>(shape[k]);
    if (k > axis) lines.after *= static_cast<int>(shape[k]);
  }
  return lines;
}

fftw_plan plan_fourier(const Lines& l, fftw_complex* data) {
  const fftw_iodim line{l.length, l.after, l.after};
  const fftw_iodim around[] = {{l.before, l.length * l.after, l.length * l.after}, {l.after, 1, 1}};
  return fftw_plan_guru_dft(1, &line, 2, around, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
}

fftw_plan plan_cosine(const Lines& l, double* data, Kind kind) {
  const fftw_iodim line{l.length, 2 * l.after, 2 * l.after};
  const fftw_iodim around[] = {{l.before, 2 * l.length * l.after, 2 * l.length * l.after}, {2 * l.after, 1, 1}};
  const fftw_r2r_kind which = fftw_kind(kind);
  return fftw_plan_guru_r2r(1, &line, 2, around, data, data, &which, FFTW_ESTIMATE);
}

void transform_axis(const Shape& shape, std::size_t axis, Kind kind, Values& values) {
  static std::once_flag safe;
  std::call_once(safe, fftw_make_planner_thread_safe);  // ranks may be threads, and all of them call this
  const Lines lines = lines_of(shape, axis);
  auto* const complex = reinterpret_cast<fftw_complex*>(values.data());
  const fftw_plan plan = kind == Kind::fourier ? plan_fourier(lines, complex)
                                               : plan_cosine(lines, reinterpret_cast<double*>(values.data()), kind);
  require(plan != nullptr, "FFTW has no plan for axis {} of {}", axis, text(shape));
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

Values first_of_each(const Values& all, const Lines& lines, Index kept) {
  Values some;
  for (int i = 0; i < lines.before; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i) * lines.length * lines.after;
    some.insert(some.end(), begin, begin + kept * lines.after);
  }
  return some;
}

}  // namespace

Values reference(const Problem& problem, const Values& in) {
  Values values = in;
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    transform_axis(problem.shape, static_cast<std::size_t>(problem.axes[i]), problem.kinds[i], values);
  const int halved = halved_axis(problem);
  if (halved < 0) return values;
  const auto axis = static_cast<std::size_t>(halved);
  return first_of_each(values, lines_of(problem.shape, axis), spectrum_shape(problem)[axis]);
}

}  // namespace kallima::cli
