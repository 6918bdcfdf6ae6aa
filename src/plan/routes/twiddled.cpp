#include "plan/routes/twiddled.hpp"

#include <algorithm>

#include "plan/choose/search.hpp"
#include "plan/exchange/axes.hpp"

namespace kallima {
namespace {

Index product(const std::vector<Index>& all, std::size_t begin, std::size_t end) {
  Index result = 1;
  for (std::size_t i = begin; i < end; ++i) result *= all[i];
  return result;
}

// The view of an array in slots, stop by stop.
class Slots {
 public:
  Slots(const std::vector<FactoredAxis>& axes, const Shape& shape, int ranks)
      : axes_(axes), shape_(shape), ranks_(ranks) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      first_.push_back(count_);
      count_ += factors(k).size();
      last_stop_ = std::max(last_stop_, factors(k).size() - 1);
    }
    Shape grid;
    for (const FactoredAxis& a : axes) grid.push_back(a.parts);
    grid_strides_ = row_major(grid);
  }

  std::size_t last_stop() const { return last_stop_; }
  std::size_t slot(std::size_t axis, std::size_t factor = 0) const { return first_[axis] + factor; }
  bool whole(std::size_t axis) const { return axes_[axis].factors.empty(); }

  // At a stop the factor of that number is whole. Those before have become outputs, dealt out to as many ranks as the
  // next factor joined; those after are still dealt out as inputs.
  Held held(std::size_t stop, Data data, const Storage& storage, bool result) const {
    std::vector<Slot> slots;
    std::vector<std::vector<std::size_t>> order;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      order.emplace_back();
      const std::vector<Index> f = factors(k);
      for (std::size_t i = 0; i < f.size(); ++i) {
        slots.push_back(dealt(k, f, i, stop));
        order.back().push_back(slots.size() - 1);
      }
      if (result) std::ranges::reverse(order.back());
    }
    return {Spread(std::move(slots), ranks_), data, storage, std::move(order)};
  }

  // The transforms of a factor of every axis that is dealt out.
  std::vector<Transform> factor_transforms(std::size_t stop) const {
    std::vector<Transform> all;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const std::vector<Index> f = factors(k);
      if (whole(k) || stop >= f.size()) continue;
      Transform& t = all.emplace_back(Transform{.slot = slot(k, stop), .length = f[stop]});
      if (stop + 1 < f.size()) t.modulus = product(f, stop, f.size());
      for (std::size_t i = stop + 1; i < f.size(); ++i) t.by.emplace_back(slot(k, i), product(f, i + 1, f.size()));
    }
    return all;
  }

 private:
  std::vector<Index> factors(std::size_t axis) const {
    return axes_[axis].factors.empty() ? std::vector<Index>{shape_[axis]} : axes_[axis].factors;
  }

  Slot dealt(std::size_t k, const std::vector<Index>& f, std::size_t i, std::size_t stop) const {
    if (i == stop || whole(k)) return {Distribution::block(f[i], 1), 1};
    const Index p = axes_[k].parts;
    const bool one = f.size() == 2;  // factors need not be as many as there are ranks
    const Index grid = grid_strides_[k];
    const auto out_stride = [&](std::size_t digit) { return product(f, 0, digit); };
    if (i < stop)
      return {Distribution::cyclic(f[i], one ? p : std::min(f[i + 1], p)), grid * (one ? 1 : out_stride(i))};
    if (one) return {Distribution::cyclic(f[i], p), grid};
    const Index in_stride = product(f, i + 1, f.size());
    return {Distribution::cyclic(f[i], f[i]), grid * (stop == 0 ? in_stride : out_stride(i - 1))};
  }

  const std::vector<FactoredAxis>& axes_;
  Shape shape_;
  int ranks_;
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
  std::size_t last_stop_ = 0;
  std::vector<Index> grid_strides_;
};

// What is done along whole axes: `real` ones before the array is halved, the halving, and the others.
struct WholeAxes {
  std::vector<Transform> cosines;
  std::vector<Transform> halving;
  std::vector<Transform> fourier;
};

WholeAxes whole_axes(const Problem& problem, const Slots& slots, Direction direction) {
  WholeAxes all;
  const bool forward = direction == Direction::forward;
  const int halved = halved_axis(problem);
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const auto k = static_cast<std::size_t>(problem.axes[i]);
    Transform t{.slot = slots.slot(k), .kind = problem.kinds[i], .length = problem.shape[k]};
    if (!forward) t.kind = inverse(t.kind);
    if (problem.axes[i] == halved) {
      t.kind = forward ? Kind::real_to_half : Kind::half_to_real;
      all.halving.push_back(t);
    } else if (t.kind != Kind::fourier) {
      all.cosines.push_back(t);
    } else if (slots.whole(k)) {
      all.fourier.push_back(t);
    }
  }
  return all;
}

Layout with_reals(const Problem& problem, const Layout& cyclic) {
  const int halved = halved_axis(problem);
  if (halved < 0) return cyclic;
  const auto axis = static_cast<std::size_t>(halved);
  return with_extent(cyclic, axis, problem.shape[axis]);
}

struct OneEnd {
  Layout layout;
  Data data;
  Storage storage;
};

// One direction. What the array holds changes, if it does, at the first stop forward and at the last backward.
Path one_path(const TwiddledStatement& s, const Layout& begins, const Layout& ends, const OneEnd& in, const OneEnd& out,
              Direction direction) {
  const bool forward = direction == Direction::forward;
  Shape spectrum = spectrum_shape(s.problem), reals = s.problem.shape;
  const Slots of_spectrum(s.axes, spectrum, s.ranks), of_reals(s.axes, reals, s.ranks);
  const WholeAxes whole = whole_axes(s.problem, of_spectrum, direction);
  const auto append = [](std::vector<Transform>& to, const std::vector<Transform>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  Path path{.stops = {}, .out = of_spectrum.held(of_spectrum.last_stop(), Data::complex_, {}, true)};
  const bool moves_in = in.layout != begins, moves_out = out.layout != ends;
  if (moves_in) path.stops.push_back({.held = {Spread(in.layout), in.data, in.storage}});
  for (std::size_t stop = 0; stop <= of_spectrum.last_stop(); ++stop) {
    const bool first = stop == 0, last = stop == of_spectrum.last_stop();
    const Slots& slots = first && forward ? of_reals : of_spectrum;
    Stop& here = path.stops.emplace_back(Stop{.held = slots.held(stop, first ? in.data : Data::complex_, {}, false)});
    here.name = "the next factor";
    if (first && forward) append(here.transforms, whole.cosines), append(here.transforms, whole.halving);
    append(here.transforms, of_spectrum.factor_transforms(stop));
    if (last) append(here.transforms, whole.fourier);
    if (last && !forward) append(here.transforms, whole.halving), append(here.transforms, whole.cosines);
    if (first && moves_in) {
      here.seen = here.held;
      here.held = {Spread(begins), in.data};
      here.name = begins.text();
    } else if (first) {
      here.held.storage = in.storage;
    }
  }
  const Slots& result = forward ? of_spectrum : of_reals;
  const Held last = result.held(of_spectrum.last_stop(), out.data, moves_out ? Storage{} : out.storage, true);
  path.out = last;
  if (moves_out) {
    path.stops.back().result = last;
    path.stops.back().left = Held{Spread(ends), out.data};
    path.stops.push_back({.held = {Spread(out.layout), out.data}, .name = out.layout.text()});
    path.out = {Spread(out.layout), out.data, out.storage};
  }
  path.tree_stop = moves_in ? 1 : 0;
  path.even = true;
  path.phase = of_spectrum.last_stop() > 1 ? "superstep" : "phase";
  return path;
}

}  // namespace

Problem complex_part(const Problem& problem) {
  Problem inner{.shape = spectrum_shape(problem), .precision = problem.precision};
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    if (problem.kinds[i] == Kind::fourier && problem.axes[i] != halved_axis(problem))
      inner.axes.push_back(problem.axes[i]);
  inner.kinds.assign(inner.axes.size(), Kind::fourier);
  return inner;
}

bool leaves_whole(const Problem& problem, const Shape& grid) {
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const bool whole = problem.kinds[i] != Kind::fourier || problem.axes[i] == halved_axis(problem);
    if (whole && grid[at(problem.axes[i])] > 1) return false;
  }
  return true;
}

Paths twiddled_paths(const TwiddledStatement& s, const Layout& cyclic, Layout& in, Layout& out) {
  const Layout begins = with_reals(s.problem, cyclic);
  in = s.problem.in.value_or(begins);
  Problem with_in = s.problem;
  with_in.in = in;
  out = wanted_out(with_in).value_or(cyclic);
  if (!s.problem.in && s.problem.output == Output::same && !s.problem.out) out = cyclic;
  const OneEnd front{in, s.problem.data, s.problem.storage_in},
      back{out, spectrum_data(s.problem), s.problem.storage_out};
  return {one_path(s, begins, cyclic, front, back, Direction::forward),
          one_path(s, cyclic, begins, back, front, Direction::backward)};
}

}  // namespace kallima
