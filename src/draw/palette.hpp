#pragma once
// The colours of all pictures, as CSS classes. Hues are Okabe and Ito's, which people with any colour vision can tell
// apart, lightened for dark backgrounds. A hue such as "blue" comes as three classes: f-blue fills, t-blue fills with a
// tint that ink can be read on, l-blue draws lines.

#include <array>
#include <string>
#include <string_view>

#include "kallima/draw.hpp"

namespace kallima {

inline constexpr std::array<std::string_view, 8> hues{"blue",   "vermilion", "green", "orange",
                                                      "purple", "sky",       "olive", "grey"};

// Stages of a trace do without green and vermilion, which say whether its messages are hidden.
inline constexpr std::array<std::string_view, 6> stage_hues{"blue", "orange", "purple", "sky", "olive", "grey"};

std::string_view theme_name(Theme theme);
std::string style_sheet(Theme theme);  // rules for elements inside one of class k-NAME
std::string hatching(Theme theme);     // definition of the pattern that class `idle` fills with

}  // namespace kallima
