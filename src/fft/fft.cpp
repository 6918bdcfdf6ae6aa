// The facade: what the public classes say, in terms of what they hold.

#include "kallima/fft.hpp"

#include <utility>

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/redistribute.hpp"

namespace kallima {

Problem detail::with_precision(Problem problem, Precision precision) {
  problem.precision = precision;
  return problem;
}

void detail::check_function(Data spectrum, bool takes_it) {
  const bool real = spectrum == Data::real_;
  require(takes_it,
          "the function is for {} numbers, but this spectrum holds {} (Problem::kinds): take SpectrumLine<{}>",
          real ? "complex" : "real", real ? "reals" : "complex numbers", real ? "T" : "Complex");
}

namespace {

detail::FftImpl& there(const std::unique_ptr<detail::FftImpl>& impl) {
  require(impl != nullptr, "there is no plan here (the object was moved from): use the one it was moved to");
  return *impl;
}

}  // namespace

AnyPending::AnyPending(AnyPending&& other) noexcept : fft_(std::exchange(other.fft_, nullptr)), slot_(other.slot_) {}

AnyPending& AnyPending::operator=(AnyPending&& other) noexcept {
  const AnyPending ending(std::move(*this));  // waits when it goes
  fft_ = std::exchange(other.fft_, nullptr);
  slot_ = other.slot_;
  return *this;
}

// Whoever wants to know whether all went well calls wait(): a destructor has nobody to tell.
AnyPending::~AnyPending() {
  try {
    wait();
  } catch (...) {
  }
}

AnyFft::AnyFft(const Problem& problem, Comm comm, const FftOptions& options)
    : impl_(std::make_unique<detail::FftImpl>(problem, std::move(comm), options)) {}

AnyFft::AnyFft(AnyFft&&) noexcept = default;
AnyFft& AnyFft::operator=(AnyFft&&) noexcept = default;
AnyFft::~AnyFft() = default;
detail::FftImpl& AnyFft::impl() const { return there(impl_); }

void AnyFft::forward(ArrayIn in, ArrayOut out, Norm norm) { impl().run(Direction::forward, in, out, norm); }
void AnyFft::backward(ArrayIn in, ArrayOut out, Norm norm) { impl().run(Direction::backward, in, out, norm); }

AnyPending AnyFft::start_forward(ArrayIn in, ArrayOut out, Norm norm) {
  return impl().start(Direction::forward, in, out, norm);
}

AnyPending AnyFft::start_backward(ArrayIn in, ArrayOut out, Norm norm) {
  return impl().start(Direction::backward, in, out, norm);
}

void AnyFft::forward_many(std::span<const ArrayIn> in, std::span<const ArrayOut> out, Norm norm) {
  impl().run_many(Direction::forward, in, out, norm);
}

void AnyFft::backward_many(std::span<const ArrayIn> in, std::span<const ArrayOut> out, Norm norm) {
  impl().run_many(Direction::backward, in, out, norm);
}

void AnyFft::rehearse(Only part, ArrayIn in, ArrayOut out) {
  impl().run(Direction::forward, in, out, Norm::none, part);
}

void AnyFft::apply(ArrayIn in, ArrayOut out, const Visit& visit, Norm norm) { impl().apply(in, out, visit, norm); }
void AnyFft::apply_factors(ArrayIn in, ArrayOut out, std::span<const std::byte> factors, Norm norm) {
  impl().apply_factors(in, out, factors, norm);
}
Layout AnyFft::layout_in() const { return plan().layout_in(); }
Layout AnyFft::layout_out() const { return plan().layout_out(); }
Index AnyFft::local_size_in() const { return impl().programs->size(Direction::forward, Buffer::in); }
Index AnyFft::local_size_out() const { return impl().programs->size(Direction::forward, Buffer::out); }
const Element& AnyFft::element() const { return impl().options.backend->element(); }

std::size_t AnyFft::workspace_bytes() const {
  std::size_t applied = 0;
  for (const auto* it : {&impl().applied, &impl().multiplied})
    if (*it) applied += (*it)->pipeline->bytes();
  return impl().pipeline->bytes() + applied + impl().programs->table_bytes() + impl().kept_bytes;
}

ProgramSize AnyFft::program_size() const { return impl().programs->planned(Direction::forward).program.program_size(); }
const Plan& AnyFft::plan() const { return impl().programs->plan(); }
const Comm& AnyFft::comm() const { return impl().comm; }
Tuning AnyFft::tuning() const { return impl().transport->tuning(); }
std::string AnyFft::tuning_from() const { return impl().transport->tuning_from(); }
WireReport AnyFft::wire_report() const { return impl().wire_report(); }
void AnyFft::record(Trace* trace) { impl().record(trace); }

AnyRedistribution::AnyRedistribution(const Layout& from, const Layout& to, Data data,
                                     std::shared_ptr<const Backend> backend, Comm comm, const FftOptions& options) {
  require(backend != nullptr, "a redistribution needs a backend (this one is none): pass cpu_backend()");
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
detail::FftImpl& AnyRedistribution::impl() const { return there(impl_); }

void AnyRedistribution::run(ArrayIn in, ArrayOut out) { impl().run(Direction::forward, in, out, Norm::none); }
void AnyRedistribution::run_back(ArrayIn in, ArrayOut out) { impl().run(Direction::backward, in, out, Norm::none); }
const Plan& AnyRedistribution::plan() const { return impl().programs->plan(); }
void AnyRedistribution::record(Trace* trace) { impl().record(trace); }

}  // namespace kallima
