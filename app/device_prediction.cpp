#include "app/device_prediction.hpp"

#include "app/check.hpp"
#include "app/fields_outline.hpp"
#include "kallima/cuda.hpp"
#include "kallima/exascale.hpp"
#include "kallima/simulate.hpp"

namespace kallima::cli {
namespace {

constexpr double flops_per_second = 1e12;  // flop/s, of which computations get as many as they take seconds
constexpr int fields_at_once = 3;

Index crossed(const RankSchedule& schedule) {
  Index words = 0;
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::copy && task.label == "to device") words += task.elements;
  return words;
}

// Where several arrays cross it, or one crosses twice, both directions of the bus are busy at once.
Machine machine_of(const RankSchedule& schedule, Precision precision, int fields, int device) {
  Machine machine = machine_from_text(fmt::format("alphabeta:r={}", flops_per_second));
  const Index words = crossed(schedule);
  if (words == 0) return machine;
  const CudaBus bus = cuda_bus(device);
  const bool at_once = fields > 1 || words > schedule.size(Buffer::in);
  const auto word = static_cast<double>(word_bytes(precision));
  machine.bus = {.up = word / (at_once ? bus.up_at_once : bus.up),
                 .down = word / (at_once ? bus.down_at_once : bus.down)};
  return machine;
}

}  // namespace

DevicePrediction predicted_on_device(const Plan& plan, int fields, int device) {
  RankSchedule tasks = plan.rank_schedule(0, Direction::forward);
  const Precision precision = plan.problem().precision;
  const Machine machine = machine_of(tasks, precision, fields, device);
  const std::vector<double> seconds = cuda_task_seconds(tasks, precision, Direction::forward, device);
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    if (tasks.tasks[i].kind != TaskKind::compute) continue;
    tasks.tasks[i].flops = flops_per_second * seconds[i];
    tasks.tasks[i].elements = 0;
  }
  Schedule all{.name = plan.options().route};
  all.ranks.push_back(std::move(tasks));
  const Outline one = outline(all);
  const Simulation it = simulate(fields > 1 ? fields_outline(one, fields, fields_at_once) : one, machine);
  return {it.completion, machine.bus == Bus{} ? "" : text(machine)};
}

// Their constant A, words moved a point in each of three phases, was measured on a processor with caches; 2 is what a
// phase that reads and writes everything once moves.
std::string paper_model(const Problem& problem, bool bus, int device, double measured_s) {
  const Shape& shape = problem.shape;
  const bool cube = shape.size() == 3 && shape[0] == shape[1] && shape[1] == shape[2];
  if (!cube || problem.precision != Precision::double_ || problem.data != Data::complex_) return "";
  const auto n = static_cast<double>(shape[0]);
  const CudaRates rates = cuda_rates(device);
  const exascale::ComputeNode node{.peak_flop_per_s = rates.flop_per_s,
                                   .memory_bytes_per_s = rates.memory_bytes_per_s,
                                   .cache_bytes = rates.cache_bytes};
  const double memory = exascale::memory_time_s(n, 1, node);
  std::string text = fmt::format(
      "Czechowski et al. with this device's {:.1f} Tflop/s and {:.2f} TB/s: (1) computing {:.4g} ms, (2) memory "
      "{:.4g} ms with A = {} and {:.4g} ms with A = 2",
      rates.flop_per_s * 1e-12, rates.memory_bytes_per_s * 1e-12, 1e3 * exascale::flop_time_s(n, 1, rates.flop_per_s),
      1e3 * memory, exascale::memory_constant, 1e3 * memory * 2 / exascale::memory_constant);
  if (bus) text += fmt::format(", (9) bus {:.4g} ms", 1e3 * exascale::pcie_time_s(n, 1, cuda_bus(device).up));
  return text + fmt::format("; measured {:.4g} ms\n", 1e3 * measured_s);
}

}  // namespace kallima::cli
