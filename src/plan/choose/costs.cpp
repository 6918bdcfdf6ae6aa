// What can be done where, and what it costs.

#include <algorithm>
#include <cmath>

#include "plan/choose/search.hpp"
#include "plan/exchange/block.hpp"

namespace kallima {
namespace {

constexpr double transform_time = 0.15;  // of a word and a level of the transform, in words sent

std::vector<int> sample_ranks(const Layout& layout) {
  std::vector<int> ranks;
  const int p = layout.ranks();
  if (p > 16 && layout.is_grid()) return {0, 1, p / 2, p - 1};
  for (int rank = 0; rank < p; ++rank) ranks.push_back(rank);
  return ranks;
}

double factor(Data data) { return data == Data::real_ ? 0.5 : 1; }

Layout like(const Layout& layout, const Shape& shape) {
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Distribution& d = layout.dims()[k];
    dims.push_back(Distribution::group_cyclic(shape[k], d.parts(), d.cycle()));
  }
  return {dims, layout.ranks()};
}

}  // namespace

std::optional<Layout> wanted_out(const Problem& problem) {
  if (problem.out || problem.output == Output::any) return problem.out;
  const int halved = halved_axis(problem);
  if (!problem.in || halved < 0) return problem.in;
  if (problem.in->is_grid()) return like(*problem.in, spectrum_shape(problem));
  const auto axis = static_cast<std::size_t>(halved);
  if (!holds_whole(*problem.in, axis)) return std::nullopt;
  return with_extent(*problem.in, axis, spectrum_shape(problem)[axis]);
}

std::vector<AxisKind> possible_here(const Problem& problem, const LaidOut& array, const std::vector<bool>& done) {
  const int halved = halved_axis(problem);
  bool real = array.data == Data::real_;
  const auto open = [&](int axis) {
    const auto k = static_cast<std::size_t>(axis);
    return !done[k] && holds_whole(array.layout, k);
  };
  std::vector<AxisKind> here;
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    if (problem.kinds[i] != Kind::fourier && open(problem.axes[i]))
      here.push_back({static_cast<std::size_t>(problem.axes[i]), problem.kinds[i]});
  if (halved >= 0 && open(halved)) {
    here.push_back({static_cast<std::size_t>(halved), Kind::real_to_half});
    real = false;
  }
  for (std::size_t i = 0; i < problem.axes.size() && !real; ++i)
    if (problem.kinds[i] == Kind::fourier && problem.axes[i] != halved && open(problem.axes[i]))
      here.push_back({static_cast<std::size_t>(problem.axes[i]), Kind::fourier});
  return here;
}

LaidOut after_axes(LaidOut array, const std::vector<AxisKind>& axes) {
  for (const AxisKind& a : axes)
    if (a.kind == Kind::real_to_half)
      array = {with_extent(array.layout, a.axis, array.layout.shape()[a.axis] / 2 + 1), Data::complex_};
  return array;
}

double exchange_cost(const LaidOut& from, const Layout& to) {
  double most = 0;
  for (const int rank : sample_ranks(to.is_grid() ? from.layout : to)) {
    const auto shared = intersection(from.layout, rank, to, rank);
    const Index stays = shared ? count_of(*shared) : 0;
    const Index moves = std::max(from.layout.local_size(rank), to.local_size(rank)) - stays;
    most = std::max(most, static_cast<double>(moves));
  }
  return exchange_latency + most * factor(from.data);
}

double transform_cost(const LaidOut& array, const std::vector<AxisKind>& axes) {
  Index most = 0;
  for (const int rank : sample_ranks(array.layout)) most = std::max(most, array.layout.local_size(rank));
  double cost = 0;
  for (const AxisKind& a : axes) cost += transform_cost(array.layout.shape()[a.axis], most, array.data);
  return cost;
}

double transform_cost(Index length, Index elements, Data data) {
  return transform_time * std::log2(static_cast<double>(length) + 1) * static_cast<double>(elements) * factor(data);
}

}  // namespace kallima
