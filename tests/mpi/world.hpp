#pragma once
// MPI's world for claims that do not call MPI themselves: they are compiled once, and linked with each MPI library.

#include <optional>

#include "kallima/comm.hpp"
#include "kallima/tuning.hpp"

namespace kallima {

Comm world(bool shared_windows = true, const std::optional<Tuning>& tuning = {});

}  // namespace kallima
