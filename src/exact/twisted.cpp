#include "exact/twisted.hpp"

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/modular.hpp"

namespace kallima {

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
