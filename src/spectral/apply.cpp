// Forward, the caller's function and backward as one program, which is made when it is first wanted.

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima {

// A plan for work in place, or with a spectrum that the caller wants stored in a way of its own, made again without:
// here the spectrum has room of its own, and nobody else sees it.
std::unique_ptr<Plan> detail::FftImpl::plan_elsewhere() const {
  Problem problem = programs->plan().problem();
  problem.storage_out = {};
  PlanOptions same = options.plan;
  same.route = programs->plan().options().route;
  same.overlap = programs->plan().options().overlap;
  same.placement = Placement::out_of_place;
  std::unique_ptr<Plan> other = plan(problem, comm.size(), same);
  require(other->layout_in() == programs->plan().layout_in(),
          "the route {} lies otherwise out of place than in place ({}): plan with Placement::out_of_place to apply",
          same.route, other->layout_in().text());
  return other;
}

void detail::FftImpl::prepare_apply() {
  const auto make = [&] {
    const Plan& planned = programs->plan();
    const bool again = planned.options().placement == Placement::in_place || !planned.problem().storage_out.is_plain();
    const std::unique_ptr<Plan> other = again ? plan_elsewhere() : nullptr;
    const Plan& chosen = again ? *other : planned;
    AppliedSchedule schedule = applied_schedule(chosen, comm.rank());
    RankSchedule tasks = with_wire(std::move(schedule.tasks));
    const RealsSent sent = reals_sent(tasks);
    applied = std::make_unique<Applied>(
        Applied{{Program(std::move(tasks), options.backend, Direction::forward, options.effort), sent},
                WaveNumbers(chosen.problem(), chosen.layout_out(), comm.rank()),
                schedule.spectrum});
  };
  together(*transport, make);
  applied->pipeline = make_pipeline({&applied->compiled.program});
}

void detail::FftImpl::apply(const ArrayIn& in, const ArrayOut& out, const AnyFft::Visit& visit, Norm norm) {
  const Index in_one = programs->plan().data_out() == Data::real_ ? 2 : 1;  // of what is counted
  const Apply on_work = [&](std::byte* values, Index offset, Index count) {
    visit(values, offset - in_one * applied->spectrum, count, applied->numbers);
  };
  guarded([&] {
    check(in, out, Direction::forward, Direction::forward);
    announce(Verb::apply);
    if (!applied) prepare_apply();
    try {
      RunOptions run = counted(applied->compiled, norm, 2);
      run.apply = &on_work;
      run.kind = static_cast<int>(Verb::apply);
      applied->pipeline->begin(0, applied->compiled.program, in.bytes.data(), out.bytes.data(), run);
      applied->pipeline->finish(0);
    } catch (...) {  // the caller's function may throw anything, and half a run is of no use
      applied.reset();
      throw;
    }
  });
}

}  // namespace kallima
