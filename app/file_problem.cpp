#include "app/file_problem.hpp"

#include <algorithm>

#include "app/check.hpp"

namespace kallima::cli {
namespace {

// Axes that NumPy counts from the front of a Fortran array stand at the back of ours. One that does not exist keeps its
// number, as the planner will name it in its error.
void turn_around(Problem& problem) {
  const auto d = static_cast<int>(problem.shape.size());
  std::reverse(problem.shape.begin(), problem.shape.end());
  if (problem.axes.empty())
    for (int k = 0; k < d; ++k) problem.axes.push_back(k);
  for (int& axis : problem.axes) {
    const int counted = axis < 0 ? axis + d : axis;
    if (counted >= 0 && counted < d) axis = d - 1 - counted;
  }
}

void set_real_extent(Problem& problem, const FileJob& job) {
  const int halved = halved_axis(checked(problem));
  if (halved < 0) return;
  Index& n = problem.shape[static_cast<std::size_t>(halved)];
  const Index given = job.last_extent;
  require(given > 0 || n > 1,
          "half a spectrum of 1 element comes from 1 real number or from 2 (it does not say which) use --last-extent");
  require(given == 0 || given / 2 + 1 == n,
          "--last-extent {} does not fit (half a spectrum of {} elements comes from {} or {} real numbers)", given, n,
          2 * n - 2, 2 * n - 1);
  n = given > 0 ? given : 2 * (n - 1);
}

// What the file holds decides where the kind leaves it open: NumPy's fftn takes reals, and cosines complex numbers.
void settle_data(Problem& problem, const ArrayHeader& header, const FileJob& job) {
  const auto fourier = [](Kind kind) { return kind == Kind::fourier; };
  const bool halves = problem.data == Data::real_ && std::any_of(problem.kinds.begin(), problem.kinds.end(), fourier);
  const bool real_file = header.data == Data::real_;
  const bool wants_reals = job.direction == Direction::forward;
  require(!halves || real_file == wants_reals, "--kind {} takes {} numbers here, but the file holds {}: {}",
          job.problem.kind, wants_reals ? "real" : "complex", dtype_text(header),
          wants_reals ? "use c2c, or c2r for the way back" : "leave out --inverse, or save half a spectrum");
  if (!halves && problem.data == Data::real_ && !real_file) problem.data = Data::complex_;
}

}  // namespace

Problem file_problem(const ArrayHeader& header, const FileJob& job, int ranks) {
  require(!header.shape.empty() || job.problem.axes.empty(),
          "axis {} does not exist (the array has 0 dimensions) leave out --axes", job.problem.axes);
  const bool reversed = header.order == ArrayOrder::fortran;
  const bool laid_out = job.problem.in != "any" || !(job.problem.out.empty() || job.problem.out == "any");
  require(!reversed || !laid_out, "{} is in Fortran order (layouts are of arrays in C order) save it in C order",
          job.in);
  Problem problem{.shape = header.shape.empty() ? Shape{1} : header.shape, .precision = header.precision};
  set_axes_and_kinds(problem, job.problem);
  if (reversed) turn_around(problem);
  settle_data(problem, header, job);
  if (job.direction == Direction::backward) set_real_extent(problem, job);
  set_layouts(problem, job.problem, ranks);
  if (job.problem.out.empty()) problem.output = Output::any;
  return problem;
}

ArrayHeader result_header(const ArrayHeader& header, const Problem& problem, Direction direction) {
  const Problem full = checked(problem);
  const bool forward = direction == Direction::forward;
  ArrayHeader result = header;
  result.bytes = ByteOrder::little;
  result.data = forward ? spectrum_data(full) : full.data;
  result.stored = Stored::floating;
  if (header.shape.empty()) return result;
  result.shape = forward ? spectrum_shape(full) : full.shape;
  if (header.order == ArrayOrder::fortran) std::reverse(result.shape.begin(), result.shape.end());
  return result;
}

}  // namespace kallima::cli
