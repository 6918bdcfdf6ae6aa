#pragma once
// The outline of several transforms through one pipeline, as Fft::forward_many runs them: two at once (three through a
// device), and whatever a message waits for comes before everything else, whichever of them it belongs to.

#include "kallima/outline.hpp"

namespace kallima::cli {

Outline fields_outline(const Outline& one, int fields, int at_once = 2);

}  // namespace kallima::cli
