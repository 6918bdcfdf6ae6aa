#include "exact/twisted.hpp"

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/modular.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

// One exchange, and before it the transform along the dimension that is whole, with factors by the other's index.
Path twisted_path(const Layout& from, const Layout& to, std::size_t first, Index n) {
  const std::size_t second = 1 - first;
  Path path{.stops = {{.held = {Spread(from)}}, {.held = {Spread(to)}, .name = to.text()}}, .out = {Spread(to)}};
  path.stops[0].transforms.push_back(
      {.slot = first, .length = from.shape()[first], .modulus = n, .by = {{second, Index{1}}}});
  path.stops[1].transforms.push_back({.slot = second, .length = from.shape()[second]});
  return path;
}

std::unique_ptr<Plan> plan_twisted(const TwistedShape& shape, int ranks, const PlanOptions& asked) {
  PlanOptions options = asked;
  options.route = "twisted";
  const Layout columns = shape.columns(ranks), rows = shape.rows(ranks);
  Paths paths{twisted_path(columns, rows, 0, shape.points()), twisted_path(rows, columns, 1, shape.points())};
  std::string why = explanation(paths.forward, ranks);
  const Problem problem = checked({.shape = {shape.R, shape.Q}, .in = columns, .out = rows});
  return path_plan({problem, options, columns, rows, std::move(paths), std::move(why)});
}

}  // namespace

TwistedNtt::TwistedNtt(const TwistedShape& shape, std::uint64_t prime, const Comm& comm, const PlanOptions& options) {
  const auto planner = [shape, ranks = comm.size()](const PlanOptions& o) { return plan_twisted(shape, ranks, o); };
  const detail::FftImpl::Arguments what{{"digits", fmt::format("{}x{}", shape.R, shape.Q)},
                                        {"prime", fmt::format("{}", prime)}};
  impl_ = std::make_unique<detail::FftImpl>(
      planner, what, comm, FftOptions{.plan = options, .effort = Effort::estimate, .backend = modular_backend(prime)});
  impl_->points = static_cast<double>(shape.points());
}

TwistedNtt::TwistedNtt(TwistedNtt&&) noexcept = default;
TwistedNtt::~TwistedNtt() = default;

void TwistedNtt::forward(std::span<const double> columns, std::span<double> rows) {
  impl_->run(Direction::forward, std::as_bytes(columns), std::as_writable_bytes(rows), Norm::none);
}

void TwistedNtt::backward(std::span<const double> rows, std::span<double> columns) {
  impl_->run(Direction::backward, std::as_bytes(rows), std::as_writable_bytes(columns), Norm::full);
}

const Plan& TwistedNtt::plan() const { return impl_->programs->plan(); }
Index TwistedNtt::workspace_words() const { return static_cast<Index>(impl_->pipeline->bytes() / sizeof(double)); }
void TwistedNtt::record(Trace* trace) { impl_->record(trace); }

}  // namespace kallima
