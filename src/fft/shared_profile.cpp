// Which profile plans are chosen by: what was calibrated on this machine, read when the first plan of several ranks is
// made. Ranks on machines of their own may have found different ones; all go by the first rank's then, since ranks that
// chose differently would wait for each other.

#include <algorithm>
#include <mutex>

#include "fft/impl.hpp"
#include "kallima/forecast.hpp"
#include "kallima/kept.hpp"
#include "plan/forecast/planning_profile.hpp"

namespace kallima {

void share_profile(Transport& transport) {
  static std::once_flag read;
  std::call_once(read, [] {
    if (planning_profile_hash() != 0) return;  // the program has set one
    if (std::optional<Profile> kept = kept_profile()) plan_by(std::make_shared<const Profile>(std::move(*kept)));
  });
  const std::vector<std::uint64_t> all = gathered(transport, planning_profile_hash());
  if (std::ranges::count(all, all[0]) == std::ssize(all)) return;
  const std::string first =
      gathered(transport, planning_profile_hash() == 0 ? std::string() : to_json(*planning_profile()))[0];
  plan_by(first.empty() ? nullptr : std::make_shared<const Profile>(profile_from_json(first)));
}

}  // namespace kallima
