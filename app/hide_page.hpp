#pragma once
// A sweep for people: the figure, a page around it, and rows of a table for the terminal.

#include <string>

#include "app/hide_sweep.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {

std::string hide_title(const HideSweep& sweep);  // "FFT of 256^3 complex points, 2 ranks, Open MPI v4.1.4 over TCP"
std::string rate_words(const HidePoint& point);  // "1 Gbit/s"

std::string hide_svg(const HideSweep& sweep, Theme theme = Theme::automatic);  // empty if no point has a rate
std::string hide_html(const HideSweep& sweep);

std::string hide_head(const HideSweep& sweep, const HidePoint& example);  // the first line of the terminal's table
std::string hide_row(const HidePoint& point);

}  // namespace kallima::cli
