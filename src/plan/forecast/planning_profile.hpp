#pragma once
// What ranks compare, so that all choose by one profile.

#include <cstdint>

namespace kallima {

std::uint64_t planning_profile_hash();  // of what plan_by() set; 0: nothing

}  // namespace kallima
