// The choice of R and Q and, where the caller leaves them open, of layouts: all of them are priced, and the fastest
// wins. There are not many: the divisors of n, times a few layouts that may save an exchange.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/choose/search.hpp"
#include "plan/routes/line.hpp"

namespace kallima {
namespace {

constexpr Index most_rectangles = 1 << 18;  // of a rank, where that can be helped
constexpr double lopsided = 0.002;          // what a factor of two between R and Q costs, in words of a rank

// How many ranks an axis is dealt out to one by one; 0: it is dealt out otherwise.
Index cyclic_parts(const Layout& layout, std::size_t axis) {
  if (!layout.is_grid()) return 0;
  const Distribution& d = layout.dims()[axis];
  return d.cycle() == d.parts() ? d.parts() : 0;
}

// Elements, by any rank.
Index most_owned(const Layout& layout) {
  const Index count = element_count(layout.shape());
  if (layout.is_grid()) return (count + layout.active_ranks() - 1) / layout.active_ranks();
  Index most = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.local_size(rank));
  return most;
}

class Chooser {
 public:
  Chooser(const Problem& problem, const LineShape& shape, int ranks, const PlanOptions& options)
      : problem_(problem), shape_(shape), n_(problem.shape[shape.axis]), ranks_(ranks), options_(options) {
    charges_ = charges_for(ranks, options);
  }

  LineChoice best() const {
    std::optional<LineChoice> best;
    for (const Ends& e : ends())
      for (const Index R : divisors(n_)) {
        if (R == 1 || R == n_) continue;
        for (LineChoice& c : choices(e, R))
          if (!best || std::pair(is_torn(c), c.seconds) < std::pair(is_torn(*best), best->seconds)) best = std::move(c);
      }
    return *best;
  }

 private:
  // Whether what goes to or from a line that is dealt out one by one is very many rectangles (see line_cells.cpp).
  bool is_torn(const LineChoice& c) const {
    const auto count = [&](const Layout& end, Index width) {
      const Index p = cyclic_parts(end, shape_.axis);
      return p == 0 ? 0 : p * (p / std::gcd(p, width));
    };
    return (c.folds_in && count(c.ends.in, c.shape.Q) > most_rectangles) ||
           (c.folds_out && !c.images_only && count(c.ends.out, c.shape.R) > most_rectangles);
  }

  // Of all ranks, or as many as divide the axis once or twice: whoever leaves the choice to us has ranks to use.
  std::vector<Layout> free_layouts(const Shape& shape) const {
    std::vector<Index> parts{ranks_};
    for (Index p = ranks_; p >= 2; --p)
      if (n_ % p == 0 && (parts.size() == 1 || n_ / p % p == 0)) parts.push_back(p);
    if (!options_.grid.empty()) parts = {options_.grid[shape_.axis]};
    std::vector<Layout> all;
    for (const Index p : parts) {
      Shape grid(shape.size(), 1);
      grid[shape_.axis] = p;
      // Neighbours stay neighbours, so it wins where both take as long.
      all.push_back(Layout::blocks(shape, grid, ranks_));
      if (p > 1) all.push_back(Layout::cyclic(shape, grid, ranks_));
    }
    return all;
  }

  std::vector<Ends> ends() const {
    std::vector<Ends> all;
    for (const Layout& in : problem_.in ? std::vector{*problem_.in} : free_layouts(problem_.shape)) {
      Problem with = problem_;
      with.in = in;
      const std::optional<Layout> out = wanted_out(with);
      for (const Layout& end : out ? std::vector{*out} : free_layouts(spectrum_shape(problem_)))
        all.push_back({in, end});
    }
    return all;
  }

  // With columns dealt out as the line is, where that can be, and in blocks to all ranks.
  std::vector<LineChoice> choices(const Ends& ends, Index R) const {
    LineShape shape = shape_;
    shape.R = R;
    shape.Q = n_ / R;
    const Index kept = shape.kept();
    const Index p = cyclic_parts(ends.in, shape.axis), q = cyclic_parts(ends.out, shape.axis);
    std::vector<LineChoice> all;
    for (const bool as_in : {true, false})
      for (const bool as_out : {true, false}) {
        if ((as_in && (p == 0 || shape.Q % p != 0)) || (as_out && (q == 0 || R % q != 0))) continue;
        const auto blocks = [&](Index count) { return Distribution::block(count, std::min<Index>(ranks_, count)); };
        LineChoice& c =
            all.emplace_back(LineChoice{.shape = shape,
                                        .ends = ends,
                                        .columns_in = as_in ? Distribution::cyclic(shape.Q, p) : blocks(shape.Q),
                                        .columns_out = as_out ? Distribution::cyclic(kept, q) : blocks(kept),
                                        .folds_in = !as_in,
                                        .folds_out = !as_out || shape.data == Data::real_,
                                        .images_only = as_out});
        c.seconds = seconds(c);
      }
    return all;
  }

  double seconds(const LineChoice& c) const {
    const auto columns_of = [](const Distribution& d) { return (d.extent() + d.parts() - 1) / d.parts(); };
    const Index lines = shape_.outer * shape_.inner;
    const Index first = lines * columns_of(c.columns_in), second = lines * columns_of(c.columns_out);
    const auto transform = [&](Index length, Index count, Data data) {
      return transform_seconds(charges_, length, length * count, data);
    };
    double sum = transform(c.shape.R, first, shape_.data) + transform(c.shape.Q, second, Data::complex_);
    const double ratio = std::log2(static_cast<double>(c.shape.R) / static_cast<double>(c.shape.Q));
    sum += charges_.word * lopsided * std::abs(ratio) * static_cast<double>(lines * n_ / ranks_);
    if (ranks_ == 1) return sum;
    const auto exchange = [&](Index most, Index other) {
      return charges_.exchange + charges_.word * static_cast<double>(std::max(most, other));
    };
    const Index made = second * c.shape.Q;
    if (c.folds_in) sum += exchange(words(most_owned(c.ends.in), shape_.data), words(first * c.shape.R, shape_.data));
    if (c.columns_in.parts() > 1 || c.columns_out.parts() > 1) sum += exchange(first * c.shape.kept(), made);
    if (!c.folds_out) return sum;
    if (!c.images_only) return sum + exchange(most_owned(c.ends.out), made);
    return sum + (c.columns_out.parts() > 2 ? exchange(made / 2, 0) : 0);
  }

  const Problem& problem_;
  const LineShape& shape_;
  const Index n_;
  const int ranks_;
  const PlanOptions& options_;
  Charges charges_;
};

}  // namespace

std::vector<Index> divisors(Index n) {
  std::vector<Index> all{1};
  for (Index d = 2, rest = n; rest > 1; ++d) {
    if (d * d > rest) d = rest;
    const std::size_t before = all.size();
    for (Index power = d; rest % d == 0; rest /= d, power *= d)
      for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * power);
  }
  return all;
}

LineChoice choose_line(const Problem& problem, const LineShape& shape, int ranks, const PlanOptions& options) {
  return Chooser(problem, shape, ranks, options).best();
}

}  // namespace kallima
