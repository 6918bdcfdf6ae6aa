// Forward, the caller's function and backward as one program, which is made when it is first wanted.

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "plan/rewrite/apply.hpp"

namespace kallima {

// A plan for work in place, or with a spectrum that the caller wants stored in a way of its own, made again without:
// here the spectrum has room of its own, and nobody else sees it.
template <class T>
std::unique_ptr<Plan> detail::FftImpl<T>::plan_elsewhere() const {
  Problem problem = compiled.plan->problem();
  problem.storage_out = {};
  PlanOptions same = options.plan;
  same.route = compiled.plan->options().route;
  same.overlap = compiled.plan->options().overlap;
  same.placement = Placement::out_of_place;
  std::unique_ptr<Plan> other = plan(problem, comm.size(), same);
  require(other->layout_in() == compiled.plan->layout_in(),
          "the route {} lies otherwise out of place than in place ({}): plan with Placement::out_of_place to apply",
          same.route, other->layout_in().text());
  return other;
}

template <class T>
void detail::FftImpl<T>::prepare_apply() {
  const auto make = [&] {
    const bool again =
        compiled.plan->options().placement == Placement::in_place || !compiled.plan->problem().storage_out.is_plain();
    const std::unique_ptr<Plan> other = again ? plan_elsewhere() : nullptr;
    const Plan& chosen = again ? *other : *compiled.plan;
    AppliedSchedule schedule = applied_schedule(chosen, comm.rank());
    const WaveNumbers numbers(chosen.problem(), chosen.layout_out(), comm.rank());
    applied = std::make_unique<Applied<T>>(Applied<T>{{}, nullptr, numbers, schedule.spectrum});
    applied->compiled.programs.emplace_back(std::move(schedule.tasks), Direction::forward, options.effort);
  };
  together(*transport, make);
  applied->pipeline = make_pipeline(applied->compiled);
}

template <class T>
void detail::FftImpl<T>::run_applied(const Reals<const T>& in, const Reals<T>& out, const kernel::Apply<T>& visit,
                                     Norm norm) {
  Pipeline<T>& line = *applied->pipeline;
  line.begin(0, applied->compiled.programs[0], reinterpret_cast<const Complex*>(in.reals.data()),
             reinterpret_cast<Complex*>(out.reals.data()),
             {.scale = factor(norm), .apply = &visit, .trace = trace, .tally = &tally});
  tally.transforms += 2;
  while (!line.over(0))
    if (!line.advance()) line.rest();
  line.release(0);
}

template <class T>
void detail::FftImpl<T>::apply(const Reals<const T>& in, const Reals<T>& out, const OnLines<T>& f, Norm norm) {
  const bool real = compiled.plan->data_out() == Data::real_;
  const kernel::Apply<T> visit = [&](Complex* work, Index offset, Index count) {
    const Index first = offset - (real ? 2 : 1) * applied->spectrum;
    const auto size = static_cast<std::size_t>(count);
    if (real)
      applied->numbers.for_each_line(std::span(reinterpret_cast<T*>(work) + offset, size), first, f.real_lines);
    else
      applied->numbers.for_each_line(std::span(work + offset, size), first, f.complex_lines);
  };
  guarded([&] {
    require(real ? f.real_lines != nullptr : f.complex_lines != nullptr,
            "the function is for {} numbers, but this spectrum holds {} (Problem::kinds): take SpectrumLine<{}>",
            real ? "complex" : "real", real ? "reals" : "complex numbers", real ? "T" : "Complex");
    check(in, out, side(Direction::forward), side(Direction::forward));
    if (!applied) prepare_apply();
    try {
      run_applied(in, out, visit, norm);
    } catch (...) {  // the caller's function may throw anything, and half a run is of no use
      if (transport->survives_exceptions()) applied.reset();  // elsewhere freeing it would wait for the other ranks
      throw;
    }
  });
}

#define KALLIMA_APPLY(T)                                                                                         \
  template std::unique_ptr<Plan> detail::FftImpl<T>::plan_elsewhere() const;                                     \
  template void detail::FftImpl<T>::prepare_apply();                                                             \
  template void detail::FftImpl<T>::run_applied(const Reals<const T>&, const Reals<T>&, const kernel::Apply<T>&, \
                                                Norm);                                                           \
  template void detail::FftImpl<T>::apply(const Reals<const T>&, const Reals<T>&, const OnLines<T>&, Norm);

KALLIMA_APPLY(float)
KALLIMA_APPLY(double)
KALLIMA_APPLY(long double)

}  // namespace kallima
