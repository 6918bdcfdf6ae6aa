#pragma once
// How exact transforms of lines are: the relative L2 error of those of random numbers against long double's, by a
// textbook's algorithm, and FFTW's beside it.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kallima/comm.hpp"
#include "kallima/fft.hpp"
#include "kallima/problem.hpp"

namespace kallima::cli {

// One run of a plan, between reals or complex numbers as reals in pairs.
template <class T>
using LineTransform = std::function<void(std::span<const T> in, std::span<T> out)>;

// Of a checked problem of one dimension.
template <class T>
LineTransform<T> plan_fftw_line(const Problem& problem, Direction direction, Effort effort);

struct AccuracyPoint {
  Index length = 0;
  double kallima = 0, fftw = 0;  // FFTW's is 0 where it is not in this build
  // Both round to the nearest: what is exact in FFTW, as sums of two are, must be exact here.
  bool within(double limit) const { return kallima <= limit * fftw; }
  double ratio() const { return kallima == 0 ? 0 : kallima / fftw; }
};

struct AccuracySpec {
  std::string kind = "c2c";
  Precision precision = Precision::double_;
  Effort effort = Effort::estimate;  // of FFTW
  bool beside_fftw = true;
};

bool is_length_of(const std::string& kind, Index n);  // dct1 has two points at least
AccuracyPoint line_accuracy(const AccuracySpec& spec, Index n, const Comm& comm);

}  // namespace kallima::cli
