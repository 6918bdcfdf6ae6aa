// Every axis is done on complex numbers: the Fourier transform as it is, a cosine or sine transform on real and
// imaginary parts alike, as a few elements of a longer Fourier transform. Reals have no imaginary parts, and half of a
// spectrum is cut out of all of it.

#include "bench/reference.hpp"

#include <algorithm>

namespace kallima::cli {
namespace {

// Of a cosine or sine transform: element j times its weight, put at place(j) of `around`, is transformed, and result k
// is real or minus imaginary part number(k).
struct Embedding {
  Index around, first, place_step, first_result, result_step;
  bool sine;
};

Embedding embedding_of(Kind kind, Index n) {
  const bool sine = kind >= Kind::dst1;
  const Index one = sine ? 1 : 0;
  const auto type = static_cast<int>(kind) - static_cast<int>(sine ? Kind::dst1 : Kind::dct1);
  const Embedding all[] = {{2 * (n - 1 + 2 * one), one, 1, one, 1, sine},
                           {4 * n, 1, 2, one, 1, sine},
                           {4 * n, one, 1, 1, 2, sine},
                           {8 * n, 1, 2, 1, 2, sine}};
  return all[type];
}

int weight(Kind kind, Index j, Index n) {
  const bool first = j == 0 && (kind == Kind::dct1 || kind == Kind::dct3);
  const bool last = j == n - 1 && (kind == Kind::dct1 || kind == Kind::dst3);
  return first || last ? 1 : 2;
}

template <class Real>
ValuesOf<Real> cosines(Kind kind, const Embedding& e, const ValuesOf<Real>& line, const ValuesOf<Real>& roots,
                       TextbookWork<Real>& work) {
  const Index n = static_cast<Index>(line.size());
  ValuesOf<Real> results(line.size()), around(at(e.around)), spectrum(at(e.around));
  for (const bool imaginary : {false, true}) {
    if (imaginary && std::ranges::all_of(line, [](const auto& value) { return value.imag() == 0; })) break;
    for (Index j = 0; j < n; ++j)
      around[at(e.first + j * e.place_step)] =
          static_cast<Real>(weight(kind, j, n)) * (imaginary ? line[at(j)].imag() : line[at(j)].real());
    textbook_fft(around.data(), 1, spectrum.data(), e.around, roots, work);
    for (Index k = 0; k < n; ++k) {
      const std::complex<Real> found = spectrum[at(e.first_result + k * e.result_step)];
      const Real result = e.sine ? -found.imag() : found.real();
      results[at(k)] += imaginary ? std::complex<Real>(0, result) : std::complex<Real>(result);
    }
  }
  return results;
}

struct Lines {
  Index length;
  Index before;  // lines are `before` times `after` apart
  Index after;
};

Lines lines_of(const Shape& shape, std::size_t axis) {
  Lines lines{shape[axis], 1, 1};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) lines.before *= shape[k];
    if (k > axis) lines.after *= shape[k];
  }
  return lines;
}

template <class Real>
void transform_axis(const Shape& shape, std::size_t axis, Kind kind, ValuesOf<Real>& values) {
  const Lines lines = lines_of(shape, axis);
  const bool fourier = kind == Kind::fourier;
  const Embedding embedding = fourier ? Embedding{lines.length, 0, 1, 0, 1, false} : embedding_of(kind, lines.length);
  const ValuesOf<Real> roots = roots_of<Real>(embedding.around);
  TextbookWork<Real> work;
  ValuesOf<Real> line(at(lines.length)), results(at(lines.length));
  for (Index i = 0; i < lines.before; ++i)
    for (Index j = 0; j < lines.after; ++j) {
      std::complex<Real>* const first = values.data() + i * lines.length * lines.after + j;
      for (Index k = 0; k < lines.length; ++k) line[at(k)] = first[k * lines.after];
      if (fourier)
        textbook_fft(line.data(), 1, results.data(), lines.length, roots, work);
      else
        results = cosines(kind, embedding, line, roots, work);
      for (Index k = 0; k < lines.length; ++k) first[k * lines.after] = results[at(k)];
    }
}

template <class Real>
ValuesOf<Real> first_of_each(const ValuesOf<Real>& all, const Lines& lines, Index kept) {
  ValuesOf<Real> some;
  for (Index i = 0; i < lines.before; ++i) {
    const auto begin = all.begin() + i * lines.length * lines.after;
    some.insert(some.end(), begin, begin + kept * lines.after);
  }
  return some;
}

}  // namespace

template <class Real>
ValuesOf<Real> reference(const Problem& problem, const ValuesOf<Real>& in) {
  ValuesOf<Real> values = in;
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    transform_axis(problem.shape, static_cast<std::size_t>(problem.axes[i]), problem.kinds[i], values);
  const int halved = halved_axis(problem);
  if (halved < 0) return values;
  const auto axis = static_cast<std::size_t>(halved);
  return first_of_each(values, lines_of(problem.shape, axis), spectrum_shape(problem)[axis]);
}

template ValuesOf<double> reference(const Problem&, const ValuesOf<double>&);
template ValuesOf<long double> reference(const Problem&, const ValuesOf<long double>&);

}  // namespace kallima::cli
