#include "app/schedule_file.hpp"

#include <algorithm>
#include <cmath>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"

namespace kallima::cli {
namespace {

constexpr double most_megabytes = 1000;  // of JSON

double scale_of(const Problem& problem, Norm norm) {
  const auto points = static_cast<double>(transformed_count(problem));
  return norm == Norm::none ? 1 : norm == Norm::full ? 1 / points : 1 / std::sqrt(points);
}

Purpose purpose_of(const Plan& plan, Direction direction, Norm norm) {
  const Problem problem = checked(plan.problem());
  Purpose it{.shape_in = problem.shape,
             .shape_out = spectrum_shape(problem),
             .layout_in = layout_to_text(plan.layout_in()),
             .layout_out = layout_to_text(plan.layout_out()),
             .precision = problem.precision,
             .scale = scale_of(problem, norm)};
  if (direction == Direction::backward) {
    std::swap(it.shape_in, it.shape_out);
    std::swap(it.layout_in, it.layout_out);
  }
  return it;
}

// One rank's part tells how much all of them would be.
void check_size(const Plan& plan, Direction direction, const std::string& path) {
  const int ranks = plan.layout_in().ranks();
  const Schedule one{.name = "one rank", .ranks = {plan.rank_schedule(0, direction)}};
  const double megabytes = 1e-6 * static_cast<double>(to_json(one).size()) * ranks;
  require(
      megabytes <= most_megabytes,
      "the schedule of {} ranks is not written to {} (it has {} tasks on each, about {:.0f} MB of JSON; at most {:.0f} "
      "are) use fewer ranks",
      ranks, path, one.ranks[0].tasks.size(), megabytes, most_megabytes);
}

// The proof takes a few words for every element that a rank's buffers have, and a bit for every pair of its tasks.
void check_memory_of_proof(const Schedule& schedule) {
  double most = 0;
  for (const RankSchedule& r : schedule.ranks) {
    double elements = 0;
    for (const Index size : r.sizes) elements += static_cast<double>(std::max<Index>(0, size));
    const auto tasks = static_cast<double>(r.tasks.size());
    most = std::max(most, 40 * elements + tasks * tasks / 8);
  }
  require(most <= static_cast<double>(free_memory()),
          "proving the schedule takes about {:.0f} MB (for the buffers and tasks of its largest rank; {:.0f} are free) "
          "use a larger machine or a smaller schedule",
          1e-6 * most, 1e-6 * static_cast<double>(free_memory()));
}

}  // namespace

void export_schedule(const Plan& plan, Direction direction, Norm norm, const std::string& path) {
  check_writable(path, 0);
  check_size(plan, direction, path);
  Schedule schedule = plan.schedule(direction);
  schedule.purpose = purpose_of(plan, direction, norm);
  write_text(path, to_json(schedule));
}

Schedule checked_schedule(const std::string& text, const std::string& path) {
  try {
    Schedule schedule = schedule_from_json(text);
    check_memory_of_proof(schedule);
    validate(schedule);
    return schedule;
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

}  // namespace kallima::cli
