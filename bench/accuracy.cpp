// As many random lines of a length as make some thousand points, so that chance hardly matters. Single precision is
// compared with double, which is as good as exact then and takes less time.

#include "bench/accuracy.hpp"

#include <cmath>
#include <random>

#include "app/check.hpp"
#include "app/problem_flags.hpp"
#include "bench/reference.hpp"

namespace kallima::cli {
namespace {

constexpr Index fewest_points = 4096;

struct Line {
  Problem problem;  // of the forward transform
  Direction direction = Direction::forward;
  Data from, to;
};

Line line_of(const std::string& kind, Index n, Precision precision) {
  Problem problem{.shape = {n}, .precision = precision};
  ProblemFlags flags;
  flags.kind = kind;
  set_axes_and_kinds(problem, flags);
  Line line{checked(problem), kind == "c2r" ? Direction::backward : Direction::forward, {}, {}};
  line.from = line.problem.data, line.to = spectrum_data(line.problem);
  if (line.direction == Direction::backward) std::swap(line.from, line.to);
  return line;
}

Index elements(const Line& line, bool of_input) {
  const bool spectrum = of_input == (line.direction == Direction::backward);
  return spectrum ? spectrum_shape(line.problem)[0] : line.problem.shape[0];
}

// As the transform takes them: half of a spectrum has reals at its ends.
template <class T>
std::vector<T> random_line(const Line& line, std::mt19937_64& random) {
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(at(elements(line, true) * (line.from == Data::real_ ? 1 : 2)));
  for (T& value : values) value = uniform(random);
  if (line.direction == Direction::backward) {
    values[1] = 0;
    if (line.problem.shape[0] % 2 == 0) values.back() = 0;
  }
  return values;
}

template <class Real, class T>
ValuesOf<Real> complex_values(const std::vector<T>& reals, Data data) {
  ValuesOf<Real> values;
  const std::size_t step = data == Data::real_ ? 1 : 2;
  for (std::size_t i = 0; i < reals.size(); i += step)
    values.emplace_back(static_cast<Real>(reals[i]), step == 1 ? Real(0) : static_cast<Real>(reals[i + 1]));
  return values;
}

// Backward of half a spectrum is forward of the conjugate of all of it: that of reals is real.
template <class Real, class T>
ValuesOf<Real> exact(const Line& line, const std::vector<T>& in) {
  ValuesOf<Real> values = complex_values<Real>(in, line.from);
  if (line.direction == Direction::forward) return reference<Real>(line.problem, values);
  const Index n = line.problem.shape[0];
  ValuesOf<Real> all(at(n));
  for (Index k = 0; k < n; ++k) all[at(k)] = 2 * k <= n ? std::conj(values[at(k)]) : values[at(n - k)];
  return reference<Real>(checked({.shape = {n}}), all);
}

struct Sums {
  long double difference = 0, all = 0;
  double error() const { return all == 0 ? 0 : static_cast<double>(std::sqrt(difference / all)); }
};

template <class Real, class T>
void add(Sums& sums, const Line& line, const std::vector<T>& out, const ValuesOf<Real>& expected) {
  const ValuesOf<Real> found = complex_values<Real>(out, line.to);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Real exact = line.to == Data::real_ ? 0 : expected[k].imag();
    sums.difference += std::norm(found[k] - std::complex<Real>(expected[k].real(), exact));
    sums.all += expected[k].real() * expected[k].real() + exact * exact;
  }
}

template <class T>
LineTransform<T> plan_our_line(const Line& line, const Comm& comm) {
  const auto fft = std::make_shared<AnyFft>(line.problem, comm);
  return [fft, direction = line.direction](std::span<const T> in, std::span<T> out) {
    direction == Direction::forward ? fft->forward(std::as_bytes(in), std::as_writable_bytes(out))
                                    : fft->backward(std::as_bytes(in), std::as_writable_bytes(out));
  };
}

template <class Real, class T>
AccuracyPoint measured(const Line& line, const AccuracySpec& spec, const Comm& comm) {
  const Index n = line.problem.shape[0];
  const LineTransform<T> ours = plan_our_line<T>(line, comm);
  const LineTransform<T> fftws =
      spec.beside_fftw ? plan_fftw_line<T>(line.problem, line.direction, spec.effort) : nullptr;
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  Sums of_ours, of_fftw;
  std::vector<T> out(at(elements(line, false) * (line.to == Data::real_ ? 1 : 2)));
  for (Index done = 0; done < fewest_points; done += n) {
    const std::vector<T> in = random_line<T>(line, random);
    const ValuesOf<Real> expected = exact<Real>(line, in);
    ours(in, out);
    add(of_ours, line, out, expected);
    if (!spec.beside_fftw) continue;
    fftws(in, out);
    add(of_fftw, line, out, expected);
  }
  return {n, of_ours.error(), of_fftw.error()};
}

}  // namespace

bool is_length_of(const std::string& kind, Index n) { return n >= (kind == "dct1" ? 2 : 1); }

AccuracyPoint line_accuracy(const AccuracySpec& spec, Index n, const Comm& comm) {
  const Line line = line_of(spec.kind, n, spec.precision);
  if (spec.precision == Precision::single_) return measured<double, float>(line, spec, comm);
  return measured<long double, double>(line, spec, comm);
}

}  // namespace kallima::cli
