// Entries are set from left to right like words on a page; one too long for a row gets a row of its own.

#include "draw/legend.hpp"

namespace kallima {
namespace {

constexpr double row_height = 18, swatch = 12, gap = 6, between = 18;

void draw_entry(Svg& svg, const Point& at, const LegendEntry& entry) {
  const Box square{at.x, at.y + 1, swatch, swatch};
  if (entry.classes == "idle")
    svg.idle(square);
  else
    svg.rect(square, entry.classes);
  svg.text({at.x + swatch + gap, at.y + 11}, entry.words);
}

}  // namespace

double draw_legend(Svg& svg, const Point& corner, double width, const std::vector<LegendEntry>& entries) {
  Point at = corner;
  for (const LegendEntry& entry : entries) {
    const double needed = swatch + gap + text_width(entry.words);
    if (at.x > corner.x && at.x + needed > corner.x + width) at = {corner.x, at.y + row_height};
    draw_entry(svg, at, entry);
    at.x += needed + between;
  }
  return entries.empty() ? 0 : at.y + row_height - corner.y;
}

}  // namespace kallima
