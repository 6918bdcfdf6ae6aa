// Small extents, primes, powers of two and the largest allowed come up often: that is where bugs live.

#include "app/fuzz_case.hpp"

#include <algorithm>

#include "app/check.hpp"
#include "app/fuzz_layout.hpp"
#include "app/problem_flags.hpp"

namespace kallima::cli {
namespace {

constexpr Index validated_elements = 1500;
constexpr Index measured_elements = 300;

Index random_extent(Random& random, Index most) {
  static const std::vector<Index> primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
  static const std::vector<Index> powers{2, 4, 8, 16, 32, 64};
  static const std::vector<Index> round{6, 9, 12, 18, 20, 24, 25, 27, 36, 40, 48, 50, 60};
  switch (random.between(0, 9)) {
    case 0:
      return 1;
    case 1:
    case 2:
      return std::min(most, random.one_of(primes));
    case 3:
    case 4:
    case 5:
      return std::min(most, random.one_of(powers));
    case 6:
      return std::min(most, random.one_of(round));
    case 7:
      return random.between(std::max<Index>(1, most - 6), most);
    default:
      return random.between(1, most);
  }
}

// One dimension alone may be long, so that 1-D routes get something to do.
Shape random_shape(Random& random, const FuzzLimits& limits) {
  const Index dims = random.between(1, 4);
  Shape shape;
  Index room = limits.max_elements;
  for (Index k = 0; k < dims; ++k) {
    shape.push_back(random_extent(random, std::min(limits.max_extent, room)));
    room /= shape.back();
  }
  if (dims == 1 && random.once_in(2))
    shape[0] = std::min(limits.max_elements, shape[0] * random_extent(random, limits.max_extent));
  if (dims == 1 && random.once_in(4)) shape[0] = std::min(limits.max_elements, Index{1} << random.between(0, 12));
  random.shuffle(shape);
  return shape;
}

// Long enough to be cut into parts by the planner, which then has memory to think of.
Shape large_shape(Random& random) {
  Shape shape;
  for (Index k = random.between(2, 3); k > 0; --k) shape.push_back(random.between(16, 48));
  if (shape.size() == 2) shape[0] *= random.between(8, 16);
  return shape;
}

std::vector<int> random_axes(Random& random, std::size_t dims) {
  std::vector<int> axes;
  for (int k = 0; k < static_cast<int>(dims); ++k)
    if (!random.once_in(4)) axes.push_back(k);
  if (axes.empty()) axes.push_back(static_cast<int>(random.between(0, static_cast<Index>(dims) - 1)));
  random.shuffle(axes);
  for (int& axis : axes)
    if (random.once_in(8)) axis -= static_cast<int>(dims);
  return axes;
}

Kind random_cosine(Random& random, Index n) {
  static const std::vector<Kind> all{Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4,
                                     Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4};
  const Kind kind = random.one_of(all);
  return kind == Kind::dct1 && n < 2 ? Kind::dct2 : kind;
}

// Complex Fourier, real Fourier, cosines and sines of reals, and all of them mixed over reals or complex numbers.
void random_kinds(Random& random, Problem& problem) {
  const Index sort = random.between(0, 9);
  problem.data = sort < 4 || sort == 9 ? Data::complex_ : Data::real_;
  for (const int axis : problem.axes) {
    const std::size_t k = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(problem.shape.size()) : axis);
    const bool cosine = sort == 7 || (sort >= 8 && random.once_in(2));
    problem.kinds.push_back(cosine ? random_cosine(random, problem.shape[k]) : Kind::fourier);
  }
}

void random_layouts(Random& random, FuzzCase& it) {
  Problem& p = it.problem;
  p.output = random.once_in(3) ? Output::any : Output::same;
  const Shape spectrum = spectrum_shape(checked(p));
  if (!random.once_in(3)) p.in = random_layout(random, p.shape, it.ranks);
  if (random.once_in(2)) p.out = random_layout(random, spectrum, it.ranks);
  if (p.in && p.shape == spectrum && random.once_in(6)) p.out = p.in;
}

Storage random_storage(Random& random, std::size_t dims) {
  Storage storage;
  if (!random.once_in(4)) return storage;
  for (int k = 0; k < static_cast<int>(dims); ++k) storage.order.push_back(k);
  random.shuffle(storage.order);
  if (random.once_in(2)) storage.order.clear();
  if (random.once_in(2))
    for (std::size_t k = 0; k < dims; ++k) storage.padding.push_back(random.between(0, 2));
  return storage;
}

std::string storage_text(const Storage& storage) {
  if (storage.is_plain()) return "";
  return fmt::format(" stored in order {} padded by {}", fmt::join(storage.order, ","),
                     fmt::join(storage.padding, ","));
}

// Routes and grids by name are for problems that leave the choice; they may not apply, which is an answer as well.
void random_options(Random& random, FuzzCase& it) {
  PlanOptions& plan = it.options.plan;
  if (random.once_in(3)) {
    const auto names = route_names();
    plan.route = random.one_of(names).first;
  }
  plan.exchange = random.once_in(2) ? Exchange::messages : Exchange::views;
  plan.overlap = random.one_of<Overlap>({Overlap::automatic, Overlap::on, Overlap::off});
  if (plan.overlap != Overlap::off && random.once_in(2)) plan.chunks = random.between(1, 9);
  if (random.once_in(4)) plan.slices = random.between(1, 9);
  if (random.once_in(6)) plan.order = Order::destination_first;
  if (random.once_in(8))
    plan.alltoall = random.one_of<Alltoall>({Alltoall::direct, Alltoall::pairwise, Alltoall::bruck});
  if (random.once_in(4))
    for (int rank = 0; rank < it.ranks; ++rank) plan.nodes.push_back(static_cast<int>(random.between(0, 2)));
  if (random.once_in(3)) plan.placement = Placement::in_place;
}

// A route or an all-to-all that does not apply is dropped; that the planner finds no way at all is an error.
void keep_possible(FuzzCase& it) {
  const auto possible = [&] {
    try {
      plan(it.problem, it.ranks, it.options.plan);
      return true;
    } catch (const Error& error) {  // a refusal says that it is one; anything else is for the run to report
      const std::string why = error.what();
      return why.find("does not apply") == std::string::npos && why.find("with these options") == std::string::npos;
    }
  };
  if (possible()) return;
  it.options.plan.alltoall = Alltoall::automatic;
  if (possible()) return;
  it.options.plan.route = "auto";
}

}  // namespace

FuzzCase fuzz_case(std::uint64_t seed, Index number, const FuzzLimits& limits) {
  Random random(seed, static_cast<std::uint64_t>(number));
  FuzzCase it{.seed = seed, .number = number, .limits = limits};
  it.ranks = static_cast<int>(random.between(1, limits.max_ranks));
  if (random.once_in(3)) it.ranks = std::min(limits.max_ranks, 1 << random.between(1, 3));
  const bool is_large = limits == FuzzLimits{} && random.once_in(40);
  it.problem.shape = is_large ? large_shape(random) : random_shape(random, limits);
  it.problem.axes = random_axes(random, it.problem.shape.size());
  it.problem.precision = random.once_in(3) ? Precision::single_ : Precision::double_;
  if (random.once_in(20)) it.problem.precision = Precision::long_double;
  random_kinds(random, it.problem);
  if (random.once_in(3)) {
    it.problem.output = random.once_in(2) ? Output::any : Output::same;  // and all layouts are the planner's
  } else {
    random_layouts(random, it);
    it.problem.storage_in = random_storage(random, it.problem.shape.size());
    it.problem.storage_out = random_storage(random, it.problem.shape.size());
  }
  random_options(random, it);
  if (is_large) it.options.plan.chunks = it.options.plan.slices = 0;
  const Index elements = element_count(it.problem.shape);
  it.options.effort = elements <= measured_elements && random.once_in(50) ? Effort::measure : Effort::estimate;
  it.in_place = random.once_in(3);
  it.forward = random.one_of<Norm>({Norm::none, Norm::none, Norm::ortho, Norm::full});
  it.backward = random.one_of<Norm>({Norm::full, Norm::none, Norm::ortho});
  it.call = random.one_of<Call>({Call::plain, Call::plain, Call::plain, Call::pending, Call::many});
  const Problem full = checked(it.problem);
  if (full.data == Data::real_ && spectrum_data(full) == Data::real_) it.call = Call::plain;
  it.validates = elements <= (random.once_in(6) ? 30000 : validated_elements);
  keep_possible(it);
  return it;
}

std::string kind_group(const FuzzCase& it) {
  const Problem p = checked(it.problem);
  const auto fourier = std::count(p.kinds.begin(), p.kinds.end(), Kind::fourier);
  const bool pure = fourier == static_cast<std::ptrdiff_t>(p.kinds.size());
  if (pure) return p.data == Data::complex_ ? "c2c" : "r2c";
  const char* const mixed = fourier > 0 ? "mixed" : "cosine/sine";
  return fmt::format("{} of {}", mixed, p.data == Data::complex_ ? "complex" : "reals");
}

std::string command(const FuzzCase& it) {
  std::string line = fmt::format("kallima fuzz --seed {} --case {}", it.seed, it.number);
  const FuzzLimits usual;
  if (it.limits.max_ranks != usual.max_ranks) line += fmt::format(" --max-ranks {}", it.limits.max_ranks);
  if (it.limits.max_extent != usual.max_extent) line += fmt::format(" --max-extent {}", it.limits.max_extent);
  if (!it.device.empty()) line += fmt::format(" --device {}", it.device);
  return line;
}

std::string problem_text(const FuzzCase& it) {
  const Problem p = checked(it.problem);
  const PlanOptions& o = it.options.plan;
  constexpr const char* norms[] = {"none", "ortho", "full"};
  constexpr const char* calls[] = {"", ", start_forward", ", forward_many"};
  constexpr const char* precisions[] = {"float", "double", "long double"};
  const std::string out = p.out ? layout_to_text(*p.out) : p.output == Output::any ? "any" : "same";
  std::string line =
      fmt::format("{} {} {} along {} on {} ranks, in {}{}, out {}{}", kind_text(p),
                  precisions[static_cast<int>(p.precision)], text(p.shape), fmt::join(p.axes, ","), it.ranks,
                  p.in ? layout_to_text(*p.in) : "any", storage_text(p.storage_in), out, storage_text(p.storage_out));
  line += fmt::format(", route {}, {}, chunks {}, slices {}, overlap {}, all-to-all {}{}", o.route,
                      o.exchange == Exchange::views ? "views" : "messages", o.chunks, o.slices, name(o.overlap),
                      name(o.alltoall), o.order == Order::destination_first ? ", destination first" : "");
  if (!o.nodes.empty()) line += fmt::format(", nodes {}", fmt::join(o.nodes, ","));
  line += fmt::format(", planned {} place, run {} place, norms {} and {}{}{}",
                      o.placement == Placement::in_place ? "in" : "out of", it.in_place ? "in" : "out of",
                      norms[static_cast<int>(it.forward)], norms[static_cast<int>(it.backward)],
                      calls[static_cast<int>(it.call)], it.options.effort == Effort::measure ? ", measured" : "");
  return line;
}

}  // namespace kallima::cli
