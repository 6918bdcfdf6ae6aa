#include "kallima/redistribute.hpp"

#include <fmt/format.h>

#include "fft/impl.hpp"

namespace kallima {
namespace {

template <class Item>
constexpr Data data_of = std::is_floating_point_v<Item> ? Data::real_ : Data::complex_;

}  // namespace

template <class Item>
Redistribution<Item>::Redistribution(const Layout& from, const Layout& to, Comm comm, const FftOptions& options) {
  using T = typename detail::RealOf<Item>::type;
  const auto planner = [from, to](const PlanOptions& o) { return plan_redistribution(from, to, data_of<Item>, o); };
  const std::string what = fmt::format("items of {} bytes, from {}, to {}", sizeof(Item), describe(from), describe(to));
  impl_ = std::make_unique<detail::FftImpl<T>>(planner, what, std::move(comm), options);
}

template <class Item>
Redistribution<Item>::Redistribution(Redistribution&&) noexcept = default;

template <class Item>
Redistribution<Item>& Redistribution<Item>::operator=(Redistribution&&) noexcept = default;

template <class Item>
Redistribution<Item>::~Redistribution() = default;

template <class Item>
void Redistribution<Item>::run(std::span<const Item> in, std::span<Item> out) {
  impl_->run(Direction::forward, in, out, Norm::none);
}

template <class Item>
void Redistribution<Item>::run_back(std::span<const Item> in, std::span<Item> out) {
  impl_->run(Direction::backward, in, out, Norm::none);
}

template <class Item>
const Plan& Redistribution<Item>::plan() const {
  return *impl_->compiled.plan;
}

template <class Item>
void Redistribution<Item>::record(Trace* trace) {
  impl_->trace = trace;
  if (trace != nullptr) trace->settings = impl_->settings();
}

template class Redistribution<float>;
template class Redistribution<double>;
template class Redistribution<std::complex<float>>;
template class Redistribution<std::complex<double>>;

}  // namespace kallima
