#pragma once
// The outline of several transforms through one pipeline, as Fft::forward_many runs them: two at once, and whatever a
// message waits for comes before everything else, whichever of them it belongs to.

#include "kallima/outline.hpp"

namespace kallima::cli {

Outline fields_outline(const Outline& one, int fields);

}  // namespace kallima::cli
