#include "cuda/model/whole_run.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "cuda/model/tile_plan.hpp"
#include "kallima/problem.hpp"

namespace kallima::cuda {
namespace {

constexpr Index least_lines = Index{1} << 16;  // elements of lines alone that are worth a plan of their own

struct ArrayAxis {
  Index extent, stride;
};

bool has_plain_ends(const Pass& pass) {
  const auto plain = [](const std::vector<Piece>& pieces) {
    return pieces.size() == 1 && pieces[0].recv < 0 && pieces[0].every == 1 && pieces[0].first == 0;
  };
  return pass.action == Action::transform && !pass.conjugated && plain(pass.sources) && plain(pass.targets);
}

bool is_plain(const Pass& pass) { return has_plain_ends(pass) && pass.twiddle.modulus == 0; }

// The axes of the array that a pass goes over, the slowest first; none where it has gaps.
std::vector<ArrayAxis> axes_of(const Pass& pass, const Piece& piece) {
  std::vector<ArrayAxis> axes{{piece.count, piece.stride}};
  for (std::size_t l = 0; l < pass.loops.size(); ++l) axes.push_back({pass.loops[l], piece.strides[l]});
  std::erase_if(axes, [](const ArrayAxis& a) { return a.extent == 1; });
  std::ranges::sort(axes, [](const ArrayAxis& a, const ArrayAxis& b) { return a.stride > b.stride; });
  Index next = 1;
  for (std::size_t i = axes.size(); i-- > 0; next *= axes[i].extent)
    if (axes[i].stride != next) return {};
  return axes;
}

Index size_of(const std::vector<ArrayAxis>& axes) { return axes.empty() ? 0 : axes[0].extent * axes[0].stride; }

bool same_place(const Piece& a, const Piece& b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.stride == b.stride && a.strides == b.strides &&
         a.real == b.real;
}

// Reals stand as the half spectrum does, but for the length of the last axis.
bool halves(const Pass& pass, const Piece& reals, const Piece& spectrum) {
  if (!reals.real || spectrum.real || reals.stride != 1 || spectrum.stride != 1) return false;
  for (std::size_t l = 0; l < pass.loops.size(); ++l)
    if (reals.strides[l] * spectrum.count != spectrum.strides[l] * reals.count) return false;
  return true;
}

// The side of a pass whose numbers are complex.
const Piece& complex_side(const Pass& pass) {
  return pass.kind == Kind::half_to_real ? pass.sources[0] : pass.targets[0];
}

bool begins(const Pass& pass) {
  if (pass.kind == Kind::real_to_half) return halves(pass, pass.sources[0], pass.targets[0]);
  const Piece &from = pass.sources[0], &to = pass.targets[0];
  return pass.kind == Kind::fourier && !from.real && from.stride == to.stride && from.strides == to.strides;
}

bool goes_on(const Pass& first, const Pass& pass) {
  const bool stays = pass.kind == Kind::fourier && same_place(pass.sources[0], pass.targets[0]);
  const bool ends =
      pass.kind == Kind::half_to_real && first.kind == Kind::fourier && halves(pass, pass.targets[0], pass.sources[0]);
  const Piece& from = pass.sources[0];
  return (stays || ends) && from.buffer == first.targets[0].buffer && from.offset == first.targets[0].offset &&
         pass.reversed == first.reversed;
}

// Fills in shape and axes from what all the passes say; false where they do not fit together.
bool describe(std::span<const Pass> passes, WholeProblem& problem) {
  std::set<Index> ends{1};  // strides at which an axis begins or ends
  const Index size = size_of(axes_of(passes[0], complex_side(passes[0])));
  for (const Pass& pass : passes) {
    const std::vector<ArrayAxis> axes = axes_of(pass, complex_side(pass));
    if (axes.empty() || size_of(axes) != size || pass.length == 1) return false;
    for (const ArrayAxis& a : axes) ends.insert({a.stride, a.stride * a.extent});
  }
  std::vector<Index> strides(ends.rbegin(), ends.rend());  // the whole size first
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    if (strides[d] % strides[d + 1] != 0) return false;
    problem.shape.push_back(strides[d] / strides[d + 1]);
  }
  for (const Pass& pass : passes) {
    const Piece& line = complex_side(pass);
    const auto at_stride = std::ranges::find(strides, line.stride);
    const auto axis = static_cast<std::size_t>(at_stride - strides.begin()) - 1;
    if (problem.shape[axis] != line.count) return false;  // another pass cuts it into two
    if (std::ranges::find(problem.axes, static_cast<int>(axis)) != problem.axes.end()) return false;
    problem.axes.push_back(static_cast<int>(axis));
  }
  return true;
}

// Lines one behind the other, many of them.
bool are_lines(const WholeProblem& problem) {
  return problem.axes.back() + 1 == static_cast<int>(problem.shape.size()) &&
         element_count(problem.shape) >= least_lines;
}

int sign_of(const Pass& pass, Direction direction) {
  return (direction == Direction::forward) != pass.reversed ? -1 : 1;
}

// Whether a pass has one loop, of that extent, along which a piece has that stride.
bool loops_once(const Pass& pass, const Piece& piece, Index extent, Index stride) {
  return pass.loops.size() == 1 && pass.loops[0] == extent && piece.strides[0] == stride;
}

// One line of R Q points in two passes: Q transforms of R points that are Q apart, times roots of unity, and R of Q
// points, which leave frequency b R + a at its place. In between elements stand as they like.
WholeRun split_line(std::span<const Pass> passes, Precision precision, Direction direction) {
  if (passes.size() < 2 || !has_plain_ends(passes[0]) || !is_plain(passes[1])) return {};
  const Pass &first = passes[0], &second = passes[1];
  const Index r = first.length, q = second.length;
  const Piece &from = first.sources[0], &left = first.targets[0], &found = second.sources[0], &to = second.targets[0];
  const bool fourier =
      first.kind == Kind::fourier && second.kind == Kind::fourier && first.reversed == second.reversed && !first.scaled;
  const bool turned =
      first.twiddle.modulus == r * q && first.twiddle.shift == 0 && first.twiddle.step == 1 && first.twiddle.loop == 0;
  const bool complex = !from.real && !left.real && !found.real && !to.real;
  if (!fourier || !turned || !complex) return {};
  const bool placed =
      from.stride == q && loops_once(first, from, q, 1) && to.stride == r && loops_once(second, to, r, 1);
  const bool met = left.buffer == found.buffer && left.offset == found.offset &&
                   loops_once(first, left, q, found.stride) && loops_once(second, found, r, left.stride);
  if (!placed || !met) return {};
  WholeRun run{.passes = 2, .from = from, .to = to, .scaled = second.scaled};
  run.problem = {.shape = {r * q}, .axes = {0}, .precision = precision, .sign = sign_of(first, direction)};
  return run;
}

bool same_begin(const Piece& a, const Piece& b) { return a.buffer == b.buffer && a.offset == b.offset; }

// Whether a pass multiplies all of an array by as many factors, element by element.
bool multiplies_all(const Pass& pass, const Piece& array, Index size) {
  if (pass.action != Action::multiply || pass.conjugated || pass.scaled) return false;
  const Piece &values = pass.sources[0], &factors = pass.sources[1], &to = pass.targets[0];
  if (values.real || to.real) return false;
  return same_begin(values, array) && same_begin(to, array) && values.recv < 0 && factors.recv < 0 &&
         values.strides == factors.strides && values.strides == to.strides && size_of(axes_of(pass, values)) == size;
}

// A way back that ends with reals, where there are kernels for it: cuFFT makes something else of a spectrum that is no
// reals' than our passes do, which take no notice of what would become imaginary.
std::optional<WholeRun> to_reals(WholeRun run, const Pass& last) {
  run.to = last.targets[0];
  run.problem.kind = TransformKind::c2r;
  run.problem.shape.back() = last.length;
  if (run.problem.sign < 0 || plan_tiles(run.problem).passes.empty()) return std::nullopt;
  return run;
}

}  // namespace

WholeProduct whole_product(std::span<const Pass> passes, Precision precision, Direction direction) {
  const WholeRun there = whole_run(passes, precision, direction);
  if (there.passes == 0 || there.passes >= passes.size() || there.scaled) return {};
  if (there.problem.kind != TransformKind::c2c) return {};
  const Pass& product = passes[there.passes];
  if (!multiplies_all(product, there.to, element_count(there.problem.shape))) return {};
  const WholeRun back = whole_run(passes.subspan(there.passes + 1), precision, direction);
  WholeProblem opposite = there.problem;
  opposite.sign = -opposite.sign;
  if (back.passes == 0 || !same_begin(back.from, there.to) || !(back.problem == opposite)) return {};
  return {.passes = there.passes + 1 + back.passes,
          .problem = there.problem,
          .from = there.from,
          .factors = product.sources[1],
          .to = back.to,
          .scaled = back.scaled};
}

WholeRun whole_run(std::span<const Pass> passes, Precision precision, Direction direction) {
  WholeRun best = split_line(passes, precision, direction);
  if (best.passes > 0 || passes.empty() || !is_plain(passes[0]) || !begins(passes[0])) return best;
  const Pass& first = passes[0];
  for (std::size_t count = 1; count <= passes.size(); ++count) {
    const Pass& last = passes[count - 1];
    if (count > 1 && (!is_plain(last) || !goes_on(first, last))) break;
    WholeRun run{.passes = count, .from = first.sources[0], .to = first.targets[0], .scaled = last.scaled};
    run.problem.precision = precision;
    if (!describe(passes.first(count), run.problem)) break;
    run.problem.sign = sign_of(first, direction);
    if (first.kind == Kind::real_to_half) {
      run.problem.kind = TransformKind::r2c;
      run.problem.shape.back() = first.length;
      if (run.problem.sign > 0) break;
    }
    std::ranges::sort(run.problem.axes);  // the halved one, where there is one, is the last
    if (last.kind == Kind::half_to_real) return to_reals(std::move(run), last).value_or(best);
    if (count > 1 || are_lines(run.problem)) best = run;
    if (last.scaled) break;
  }
  return best;
}

}  // namespace kallima::cuda
