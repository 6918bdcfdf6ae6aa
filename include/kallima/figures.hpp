#pragma once
// Two figures drawn from numbers: the hiding curve, what a transform takes against how fast the links are, between the
// longer of its two parts and their sum; and Figures 5 and 6 of Czechowski et al. 2012 as the equations give them.

#include <optional>
#include <span>

#include "kallima/draw.hpp"
#include "kallima/exascale.hpp"

namespace kallima {

struct HidingPoint {
  double gbit_per_s = 0;
  double computation = 0;  // alone, seconds like all others
  double communication = 0;
  double kallima = 0;
  double without_overlap = 0;
  std::optional<double> prediction = {};
  std::optional<double> fftw_default = {}, fftw_transposed = {}, fftw_scrambled = {};
};

struct HidingFigure {
  std::string title = {};    // what is transformed, and where
  std::string caption = {};  // how it was measured
  Theme theme = Theme::automatic;
};

// Points in the order of their rates.
std::string draw_hiding(std::span<const HidingPoint> points, const HidingFigure& figure);

namespace exascale {

struct Bars {
  std::string label;
  std::vector<System> systems;
};

std::string draw_figure5(std::span<const Bars> groups, double n, Theme theme = Theme::automatic);
std::string draw_figure6(const Ratios& ratios, Theme theme = Theme::automatic);

}  // namespace exascale
}  // namespace kallima
