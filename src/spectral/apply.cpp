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

std::unique_ptr<Applied> detail::FftImpl::prepare_apply(ApplyBy by) {
  std::unique_ptr<Applied> made;
  const auto make = [&] {
    const Plan& planned = programs->plan();
    const bool again = planned.options().placement == Placement::in_place || !planned.problem().storage_out.is_plain();
    const std::unique_ptr<Plan> other = again ? plan_elsewhere() : nullptr;
    const Plan& chosen = again ? *other : planned;
    AppliedSchedule schedule = applied_schedule(chosen, comm.rank(), by);
    RankSchedule tasks = with_wire(std::move(schedule.tasks));
    if (by == ApplyBy::factors && comm.size() == 1) tasks = in_one_task(std::move(tasks));
    const RealsSent sent = reals_sent(tasks);
    made = std::make_unique<Applied>(
        Applied{{Program(std::move(tasks), options.backend, Direction::forward, options.effort), sent},
                WaveNumbers(chosen.problem(), chosen.layout_out(), comm.rank()),
                schedule.spectrum});
  };
  together(*transport, make);
  made->pipeline = make_pipeline({&made->compiled.program});
  return made;
}

// What the caller's function throws leaves half a run, which is of no use.
void detail::FftImpl::run_applied(std::unique_ptr<Applied>& it, const ArrayIn& in, const ArrayOut& out,
                                  const RunOptions& run) {
  try {
    it->pipeline->begin(0, it->compiled.program, in.bytes.data(), out.bytes.data(), run);
    it->pipeline->finish(0);
  } catch (...) {
    it.reset();
    throw;
  }
}

void detail::FftImpl::apply(const ArrayIn& in, const ArrayOut& out, const AnyFft::Visit& visit, Norm norm) {
  const Index in_one = programs->plan().data_out() == Data::real_ ? 2 : 1;  // of what is counted
  const Apply on_work = [&](std::byte* values, Index offset, Index count) {
    visit(values, offset - in_one * applied->spectrum, count, applied->numbers);
  };
  guarded([&] {
    check(in, out, Direction::forward, Direction::forward);
    announce(Verb::apply);
    if (!applied) applied = prepare_apply(ApplyBy::function);
    RunOptions run = counted(applied->compiled, norm, 2);
    run.apply = &on_work;
    run.kind = static_cast<int>(Verb::apply);
    run_applied(applied, in, out, run);
  });
}

void detail::FftImpl::apply_factors(const ArrayIn& in, const ArrayOut& out, std::span<const std::byte> factors,
                                    Norm norm) {
  guarded([&] {
    check(in, out, Direction::forward, Direction::forward);
    check("factors", factors, Data::complex_, false, Direction::backward);
    const Plan& planned = programs->plan();
    require(
        planned.data_out() == Data::complex_ && planned.problem().storage_out.is_plain() && kept == nullptr,
        "factors are for complex spectra that are stored plainly, of a route that keeps nothing for itself (this is "
        "{}): apply a function",
        planned.options().route);
    announce(Verb::apply);
    if (!multiplied) multiplied = prepare_apply(ApplyBy::factors);
    RunOptions run = counted(multiplied->compiled, norm, 2);
    run.kept = const_cast<std::byte*>(factors.data());  // which is only read
    run.kind = static_cast<int>(Verb::apply);
    run_applied(multiplied, in, out, run);
  });
}

}  // namespace kallima
