#pragma once
// Figures 5 and 6 of Czechowski et al. 2012, drawn from what the equations give.

#include <span>
#include <string>
#include <vector>

#include "kallima/draw.hpp"
#include "kallima/exascale.hpp"

namespace kallima::exascale {

struct Bars {
  std::string label;
  std::vector<System> systems;
};

std::string draw_figure5(std::span<const Bars> groups, double n, Theme theme = Theme::automatic);
std::string draw_figure6(const Ratios& ratios, Theme theme = Theme::automatic);

}  // namespace kallima::exascale
