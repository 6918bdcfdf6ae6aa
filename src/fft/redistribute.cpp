#include "kallima/redistribute.hpp"

#include <fmt/format.h>

#include "fft/impl.hpp"

namespace kallima {

AnyRedistribution::AnyRedistribution(const Layout& from, const Layout& to, Data data,
                                     std::shared_ptr<const Backend> backend, Comm comm, const FftOptions& options) {
  const auto planner = [from, to, data](const PlanOptions& o) { return plan_redistribution(from, to, data, o); };
  const detail::FftImpl::Arguments what{{"bytes of an item", fmt::format("{}", backend->element().bytes_of(data))},
                                        {"from", describe(from)},
                                        {"to", describe(to)}};
  FftOptions with = options;
  with.backend = std::move(backend);
  impl_ = std::make_unique<detail::FftImpl>(planner, what, std::move(comm), std::move(with));
}

AnyRedistribution::AnyRedistribution(AnyRedistribution&&) noexcept = default;
AnyRedistribution& AnyRedistribution::operator=(AnyRedistribution&&) noexcept = default;
AnyRedistribution::~AnyRedistribution() = default;

void AnyRedistribution::run(ArrayIn in, ArrayOut out) { impl_->run(Direction::forward, in, out, Norm::none); }

void AnyRedistribution::run_back(ArrayIn in, ArrayOut out) { impl_->run(Direction::backward, in, out, Norm::none); }

const Plan& AnyRedistribution::plan() const { return impl_->programs->plan(); }

void AnyRedistribution::record(Trace* trace) { impl_->record(trace); }

}  // namespace kallima
