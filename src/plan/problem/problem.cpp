#include "kallima/problem.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr Index most_elements = Index{1} << 59;  // so that sizes in bytes, and 8 times an exponent, fit 64 bits

void check_shape(const Shape& shape) {
  require(!shape.empty(), "the shape has no dimensions (nothing to transform): give one extent per dimension");
  Index count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(shape[d] >= 1, "dimension {} of shape {} has extent {}: extents must be at least 1", d, text(shape),
            shape[d]);
    require(shape[d] <= most_elements / count, "shape {} is too large (over 2^59 elements): check its extents",
            text(shape));
    count *= shape[d];
  }
}

void check_kind(Kind kind, int axis, Index n) {
  require(kind != Kind::real_to_half && kind != Kind::half_to_real,
          "axis {} has a kind that only schedules use: give the data as real and the axis as fourier", axis);
  require(kind != Kind::dct1 || n >= 2, "axis {} has {} point, but a cosine transform of type I needs at least 2", axis,
          n);
}

void check_layout(const std::optional<Layout>& layout, const Shape& shape, const char* which) {
  require(!layout || layout->shape() == shape, "layout {} is for an array of {}, but that array is {}", which,
          layout ? text(layout->shape()) : "", text(shape));
}

void check_storage(const Storage& storage, std::size_t dims, const char* which) {
  require(storage.padding.empty() || storage.padding.size() == dims,
          "storage {} has padding for {} dimensions, but the array has {}", which, storage.padding.size(), dims);
  for (const Index pad : storage.padding)
    require(pad >= 0, "storage {} has a padding of {}: it must be 0 or more", which, pad);
  std::vector<int> sorted = storage.order;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    require(sorted.size() == dims && sorted[k] == static_cast<int>(k),
            "the order of storage {} is {}, but must name each of the {} dimensions once", which,
            fmt::join(storage.order, ","), dims);
}

void write_out_axes(Problem& problem) {
  const int d = static_cast<int>(problem.shape.size());
  if (problem.axes.empty())
    for (int k = 0; k < d; ++k) problem.axes.push_back(k);
  for (int& axis : problem.axes) {
    require(axis >= -d && axis < d, "axis {} does not exist (shape {} has {} dimensions): use 0 to {}, or -{} to -1",
            axis, text(problem.shape), d, d - 1, d);
    if (axis < 0) axis += d;
  }
  if (problem.kinds.empty()) problem.kinds.assign(problem.axes.size(), Kind::fourier);
  require(problem.kinds.size() == problem.axes.size(), "there are {} kinds for {} axes: give one for each, or none",
          problem.kinds.size(), problem.axes.size());
}

// Sorted, with the last Fourier axis of real data at the end.
void sort_axes(Problem& problem) {
  std::vector<std::pair<int, Kind>> axes;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) axes.emplace_back(problem.axes[i], problem.kinds[i]);
  int halved = -1;
  if (problem.data == Data::real_)
    for (const auto& [axis, kind] : axes)
      if (kind == Kind::fourier) halved = axis;
  std::ranges::sort(axes, [&](const auto& a, const auto& b) {
    return std::pair(a.first == halved, a.first) < std::pair(b.first == halved, b.first);
  });
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::ranges::adjacent_find(axes, same);
  require(twice == axes.end(), "axis {} is named twice: name each axis once", twice == axes.end() ? 0 : twice->first);
  for (std::size_t i = 0; i < axes.size(); ++i) std::tie(problem.axes[i], problem.kinds[i]) = axes[i];
}

}  // namespace

Problem checked(const Problem& problem) {
  check_shape(problem.shape);
  Problem result = problem;
  write_out_axes(result);
  sort_axes(result);
  for (std::size_t i = 0; i < result.axes.size(); ++i)
    check_kind(result.kinds[i], result.axes[i], result.shape[at(result.axes[i])]);
  check_storage(result.storage_in, result.shape.size(), "in");
  check_storage(result.storage_out, result.shape.size(), "out");
  check_layout(result.in, result.shape, "in");
  check_layout(result.out, spectrum_shape(result), "out");
  return result;
}

bool Storage::is_plain() const {
  return std::ranges::is_sorted(order) && std::ranges::all_of(padding, [](Index pad) { return pad == 0; });
}

std::vector<Index> strides_of(const Storage& storage, const Shape& extents) {
  std::vector<Index> strides(extents.size());
  Index stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::size_t k = storage.order.empty() ? i : static_cast<std::size_t>(storage.order[i]);
    strides[k] = stride;
    stride *= extents[k] + (storage.padding.empty() ? 0 : storage.padding[k]);
  }
  return strides;
}

Index stored_size(const Storage& storage, const Shape& extents) {
  if (element_count(extents) == 0) return 0;
  Index size = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    size *= extents[k] + (storage.padding.empty() ? 0 : storage.padding[k]);
  return size;
}

Kind kind_of(const Problem& problem, std::size_t dim) {
  const auto found = std::ranges::find(problem.axes, static_cast<int>(dim));
  return problem.kinds[at(found - problem.axes.begin())];
}

int halved_axis(const Problem& problem) {
  const bool halved = problem.data == Data::real_ && !problem.kinds.empty() && problem.kinds.back() == Kind::fourier;
  return halved ? problem.axes.back() : -1;
}

Shape spectrum_shape(const Problem& problem) {
  Shape shape = problem.shape;
  const int halved = halved_axis(problem);
  if (halved >= 0) shape[at(halved)] = shape[at(halved)] / 2 + 1;
  return shape;
}

Data spectrum_data(const Problem& problem) { return halved_axis(problem) >= 0 ? Data::complex_ : problem.data; }

Kind inverse(Kind kind) {
  using enum Kind;
  constexpr Kind inverses[] = {fourier, half_to_real, real_to_half, dct1, dct3, dct2, dct4, dst1, dst3, dst2, dst4};
  return inverses[at(kind)];
}

Index logical_length(Kind kind, Index n) {
  if (kind <= Kind::half_to_real) return n;
  if (kind == Kind::dct1) return 2 * (n - 1);
  return kind == Kind::dst1 ? 2 * (n + 1) : 2 * n;
}

bool transforms(const Problem& problem, std::size_t dim) {
  return std::ranges::find(problem.axes, static_cast<int>(dim)) != problem.axes.end();
}

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index n : shape) count *= n;
  return count;
}

Index transformed_count(const Problem& problem) {
  const Problem p = checked(problem);
  Index count = 1;
  for (std::size_t i = 0; i < p.axes.size(); ++i) count *= logical_length(p.kinds[i], p.shape[at(p.axes[i])]);
  return count;
}

double flop_count(const Problem& problem) {
  const double complex_flops = 5.0 * static_cast<double>(element_count(problem.shape)) *
                               std::log2(static_cast<double>(transformed_count(problem)));
  return problem.data == Data::real_ ? complex_flops / 2 : complex_flops;
}

std::string text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace kallima
