#pragma once
// What lines of reals become, and half their spectrum or what cosines and sines make of them, on every transport:
// functions are called by all ranks.

#include "fft_suite.hpp"
#include "real_reference.hpp"

namespace kallima {

// A line and a spectrum that has nothing to do with it: half of one, whose imaginary parts are nowhere zero, or reals;
// with what becomes of them. Made once, used by all ranks.
struct RealLine {
  explicit RealLine(Problem p, unsigned seed = 1)
      : problem(checked(p)),
        kind(problem.kinds[0] == Kind::fourier ? Kind::real_to_half : problem.kinds[0]),
        reals(random_values(problem.shape[0], seed)),
        spectrum(random_values(spectrum_shape(problem)[0], seed + 1)) {
    for (Exact& x : reals) x = x.real();
    if (!has_half())
      for (Exact& x : spectrum) x = x.real();
    forward = reference_line(kind, problem.shape[0], reals);
    backward = reference_line(inverse(kind), problem.shape[0], spectrum);
  }
  bool has_half() const { return kind == Kind::real_to_half; }

  Problem problem;
  Kind kind;
  std::vector<Exact> reals, spectrum, forward, backward;
};

template <class T>
T number_as(const Exact& value, T) {
  return static_cast<T>(value.real());
}
template <class T>
std::complex<T> number_as(const Exact& value, std::complex<T>) {
  return {static_cast<T>(value.real()), static_cast<T>(value.imag())};
}

// This rank's part of a line.
template <class Number>
std::vector<Number> part_of(const std::vector<Exact>& line, const Layout& layout, int rank) {
  std::vector<Number> part;
  for (const std::size_t place : places_of(layout, rank)) part.push_back(number_as(line[place], Number{}));
  return part;
}

template <class Number>
double line_error(const std::vector<Exact>& line, const Layout& layout, int rank, std::span<const Number> part,
                  double scale) {
  const std::vector<std::size_t> places = places_of(layout, rank);
  EXPECT_EQ(places.size(), part.size());
  long double difference = 0;
  for (std::size_t t = 0; t < part.size(); ++t)
    difference += std::norm(line[places[t]] * static_cast<long double>(scale) - Exact(part[t]));
  return static_cast<double>(std::sqrt(difference)) / std::max(norm_of(line) * scale, 1e-150);
}

// One direction, out of place and in place, and `in` is left alone.
template <class T, class From, class To>
void line_equals_definition(Fft<T>& fft, const std::vector<Exact>& given, const std::vector<Exact>& wanted,
                            Direction direction, Norm norm, double scale, double bound) {
  const bool forward = direction == Direction::forward;
  const int rank = fft.comm().rank();
  const Layout from = forward ? fft.layout_in() : fft.layout_out(), to = forward ? fft.layout_out() : fft.layout_in();
  const std::vector<From> untouched = part_of<From>(given, from, rank);
  std::vector<From> in = untouched;
  std::vector<To> out(static_cast<std::size_t>(to.local_size(rank)));
  const auto run = [&](std::span<const From> source, std::span<To> target) {
    forward ? fft.forward(source, target, norm) : fft.backward(source, target, norm);
    EXPECT_LT(line_error<To>(wanted, to, rank, target, scale), bound)
        << fft.plan().explanation() << (forward ? ", forward" : ", backward") << " on " << fft.comm().size()
        << " ranks";
  };
  run(in, out);
  EXPECT_EQ(in, untouched) << "the input was written to";
  Array<std::complex<T>> both(std::max(fft.local_size_in() / 2 + 1, fft.local_size_out()));
  const std::span<From> before(reinterpret_cast<From*>(both.data()), in.size());
  std::copy(in.begin(), in.end(), before.begin());
  run(before, {reinterpret_cast<To*>(both.data()), out.size()});
}

template <class T>
void reals_equal_definition(const Comm& comm, const RealLine& line, const FftOptions& options, Norm norm = Norm::none) {
  Fft<T> fft(line.problem, comm, options);
  const double n = static_cast<double>(transformed_count(line.problem));
  const double scale = norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(n) : 1 / n;
  // In long double the definition is no more precise than that.
  const double bound = (std::is_same_v<T, long double> ? 10 : 1) * tolerance<T>(line.problem);
  const auto both_ways = [&]<class Other>(Other) {
    line_equals_definition<T, T, Other>(fft, line.reals, line.forward, Direction::forward, norm, scale, bound);
    line_equals_definition<T, Other, T>(fft, line.spectrum, line.backward, Direction::backward, norm, scale, bound);
  };
  line.has_half() ? both_ways(std::complex<T>()) : both_ways(T());
}

}  // namespace kallima
