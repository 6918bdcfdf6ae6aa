// Making plans in C, and asking them which element is where.

#include "c/plan.hpp"

#include <algorithm>

#include "c/problem.hpp"

using namespace kallima::c;
using kallima::AnyFft;
using kallima::Layout;

namespace {

const Layout& layout(kallima_plan plan, kallima_side side) { return held(plan, "plan").layouts[number(side)]; }

kallima_plan planned(int dims, const int64_t* n, kallima_data data, const kallima_kind* kinds, kallima_comm comm,
                     kallima_effort effort) {
  kallima_problem problem{};
  problem.dims = dims;
  problem.shape = n;
  problem.data = data;
  problem.kinds = kinds;
  problem.effort = effort;
  return kallima_plan_problem(&problem, comm);
}

kallima_status fill(int64_t* to, const auto& numbers) {
  return answer([&] { std::ranges::copy(numbers(), &held(to, "place for the numbers")); });
}

}  // namespace

kallima_plan kallima_plan_problem(const kallima_problem* asked, kallima_comm comm) {
  return made([&] {
    const kallima::Comm ranks = comm_of(comm);
    const kallima_problem& problem = held(asked, "problem");
    auto fft = std::make_shared<AnyFft>(problem_of(problem, ranks.size()), ranks, options_of(problem));
    Layout in = fft->layout_in(), out = fft->layout_out();
    std::string texts[] = {layout_to_text(in), layout_to_text(out)};
    std::string why = fft->plan().explanation();
    return new kallima_plan_s{std::move(fft), {in, out}, {texts[0], texts[1]}, std::move(why)};
  });
}

kallima_plan kallima_plan_dft(int dims, const int64_t* n, kallima_comm comm, kallima_effort effort) {
  return planned(dims, n, KALLIMA_COMPLEX, nullptr, comm, effort);
}

kallima_plan kallima_plan_dft_1d(int64_t n0, kallima_comm comm, kallima_effort effort) {
  return kallima_plan_dft(1, &n0, comm, effort);
}

kallima_plan kallima_plan_dft_2d(int64_t n0, int64_t n1, kallima_comm comm, kallima_effort effort) {
  const int64_t n[] = {n0, n1};
  return kallima_plan_dft(2, n, comm, effort);
}

kallima_plan kallima_plan_dft_3d(int64_t n0, int64_t n1, int64_t n2, kallima_comm comm, kallima_effort effort) {
  const int64_t n[] = {n0, n1, n2};
  return kallima_plan_dft(3, n, comm, effort);
}

kallima_plan kallima_plan_dft_r2c(int dims, const int64_t* n, kallima_comm comm, kallima_effort effort) {
  return planned(dims, n, KALLIMA_REAL, nullptr, comm, effort);
}

kallima_plan kallima_plan_r2r(int dims, const int64_t* n, const kallima_kind* kinds, kallima_comm comm,
                              kallima_effort effort) {
  return planned(dims, n, KALLIMA_REAL, kinds, comm, effort);
}

void kallima_destroy_plan(kallima_plan plan) { delete plan; }

int kallima_dims(kallima_plan plan) {
  return made([&] { return static_cast<int>(layout(plan, KALLIMA_IN).shape().size()); });
}

int64_t kallima_local_size(kallima_plan plan, kallima_side side) {
  return made([&] { return size(fft_of(plan), side); });
}

size_t kallima_local_bytes(kallima_plan plan, kallima_side side) {
  return made([&] { return bytes(fft_of(plan), side); });
}

kallima_data kallima_data_of(kallima_plan plan, kallima_side side) {
  return made([&] { return data(fft_of(plan), side) == kallima::Data::real_ ? KALLIMA_REAL : KALLIMA_COMPLEX; });
}

kallima_status kallima_global_shape(kallima_plan plan, kallima_side side, int64_t* shape) {
  return fill(shape, [&] { return layout(plan, side).shape(); });
}

kallima_status kallima_local_shape(kallima_plan plan, kallima_side side, int64_t* shape) {
  return fill(shape, [&] { return layout(plan, side).local_shape(fft_of(plan).comm().rank()); });
}

kallima_status kallima_local_start(kallima_plan plan, kallima_side side, int64_t* first, int64_t* step) {
  return answer([&] {
    held(first, "place for the first indices"), held(step, "place for the steps");
    for (const kallima::Progression& owned : layout(plan, side).owned(fft_of(plan).comm().rank())) {
      *first++ = owned.first;
      *step++ = owned.step;
    }
  });
}

kallima_status kallima_local_strides(kallima_plan plan, kallima_side side, int64_t* strides) {
  return fill(strides, [&] {
    const AnyFft& fft = fft_of(plan);
    const kallima::Problem& problem = fft.plan().problem();
    return strides_of(number(side) == 0 ? problem.storage_in : problem.storage_out,
                      layout(plan, side).local_shape(fft.comm().rank()));
  });
}

kallima_status kallima_global_index(kallima_plan plan, kallima_side side, int64_t t, int64_t* index) {
  return fill(index, [&] { return layout(plan, side).global_index(fft_of(plan).comm().rank(), t); });
}

const char* kallima_layout(kallima_plan plan, kallima_side side) {
  return made([&] { return held(plan, "plan").texts[number(side)].c_str(); }, "");
}

const char* kallima_explain(kallima_plan plan) {
  return made([&] { return held(plan, "plan").explained.c_str(); }, "");
}

int kallima_exchanges(kallima_plan plan) {
  return made([&] { return fft_of(plan).plan().exchanges(); });
}

size_t kallima_workspace_bytes(kallima_plan plan) {
  return made([&] { return fft_of(plan).workspace_bytes(); });
}
