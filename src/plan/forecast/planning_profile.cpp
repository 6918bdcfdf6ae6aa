#include "plan/forecast/planning_profile.hpp"

#include <mutex>

#include "base/text.hpp"
#include "kallima/forecast.hpp"

namespace kallima {
namespace {

// Ranks may be threads, which plan at once.
struct PlanningProfile {
  std::mutex mutex;
  std::shared_ptr<const Profile> profile;
  std::uint64_t hash = 0;
};

PlanningProfile& the_one() {
  static PlanningProfile one;
  return one;
}

}  // namespace

std::shared_ptr<const Profile> planning_profile() {
  const std::lock_guard lock(the_one().mutex);
  if (the_one().profile) return the_one().profile;
  return {std::shared_ptr<const Profile>(), &usual_profile()};
}

void plan_by(std::shared_ptr<const Profile> profile) {
  const std::uint64_t its_hash = profile ? hash(to_json(*profile)) : 0;
  const std::lock_guard lock(the_one().mutex);
  the_one().profile = std::move(profile);
  the_one().hash = its_hash;
}

std::uint64_t planning_profile_hash() {
  const std::lock_guard lock(the_one().mutex);
  return the_one().hash;
}

}  // namespace kallima
