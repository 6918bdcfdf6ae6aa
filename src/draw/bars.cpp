// Grouped, stacked bars. All bars are equally wide; a gap of most of a bar parts the groups. Above each bar stands its
// total, and hovering tells its parts.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "draw/chart.hpp"

namespace kallima {
namespace {

constexpr double plot_height = 280, left = 84, group_gap = 0.7, widest_bar = 64, label_line = 14;

std::string hue_class(std::size_t part) { return fmt::format("f-{}", hues[part % hues.size()]); }

void check(const BarChart& chart) {
  require(!chart.groups.empty(), "there are no bars to draw (no group was given) give at least one");
  for (const auto& group : chart.groups)
    for (const auto& bar : group.bars) {
      require(bar.values.size() <= chart.parts.size(), "bar {} has {} values (there are {} parts) name every part",
              bar.label, bar.values.size(), chart.parts.size());
      for (const double v : bar.values)
        require(std::isfinite(v) && v >= 0, "bar {} cannot show {} (not a length) give numbers from 0 on", bar.label,
                v);
    }
}

class BarPainter {
 public:
  explicit BarPainter(const BarChart& chart) : chart_(chart), svg_(chart.width, chart.theme, chart.title) {}

  std::string draw() {
    std::vector<LegendEntry> entries;
    for (std::size_t part = 0; part < chart_.parts.size(); ++part)
      entries.push_back({chart_.parts[part], hue_class(part)});
    const double top = draw_chart_head(svg_, chart_.title, chart_.width, entries);
    area_ = {left, top, chart_.width - left - chart_margin, plot_height};
    std::vector<double> sums;
    double slots = 0;
    for (const auto& group : chart_.groups) {
      for (const auto& bar : group.bars) sums.push_back(std::accumulate(bar.values.begin(), bar.values.end(), 0.0));
      slots += static_cast<double>(group.bars.size()) + group_gap;
    }
    ruler_ = fitted({.from = area_.bottom(), .to = area_.y + 8}, sums, true);
    draw_value_axis(svg_, area_, ruler_, chart_.axis);
    slot_ = area_.width / slots;
    double x = area_.x + group_gap * slot_ / 2;
    for (const auto& group : chart_.groups) draw_group(group, x);
    svg_.line({area_.x, ruler_.from}, {area_.right(), ruler_.from}, "axis");
    return svg_.finish(draw_caption(svg_, bottom_ + 8, chart_.width, chart_.caption));
  }

 private:
  void draw_group(const BarChart::Group& group, double& x) {
    const double size = slot_ * static_cast<double>(group.bars.size()), middle = x + size / 2;
    double y = area_.bottom() + 4;
    for (const auto& bar : group.bars) {
      draw_bar(bar, x + slot_ / 2);
      y = std::max(y, draw_label(bar.label, {x + slot_ / 2, area_.bottom() + 4}, slot_ * 1.05, ""));
      x += slot_;
    }
    draw_label(group.label, {middle, y + 2}, size + 0.6 * group_gap * slot_, "strong");
    x += group_gap * slot_;
  }

  void draw_bar(const BarChart::Bar& bar, double x) {
    const double width = std::min(0.8 * slot_, widest_bar);
    double below = 0;
    for (std::size_t part = 0; part < bar.values.size(); ++part) {
      const double top = ruler_.place(below + bar.values[part]);
      svg_.rect({x - width / 2, top, width, ruler_.place(below) - top}, hue_class(part),
                fmt::format("{}: {} {}", bar.label, chart_.parts[part], short_number(bar.values[part])));
      below += bar.values[part];
    }
    svg_.text({x, ruler_.place(below) - 5}, short_number(below), "", Anchor::middle);
  }

  double draw_label(const std::string& label, Point at, double width, std::string_view classes) {
    svg_.paragraph(at, label, width, label_line, classes, 12, Anchor::middle);
    bottom_ = std::max(bottom_, at.y);
    return at.y;
  }

  const BarChart& chart_;
  Svg svg_;
  Rectangle area_;
  Ruler ruler_;
  double slot_ = 0, bottom_ = 0;
};

}  // namespace

std::string draw_bars(const BarChart& chart) {
  check(chart);
  return BarPainter(chart).draw();
}

}  // namespace kallima
