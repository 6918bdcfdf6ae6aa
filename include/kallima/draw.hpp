#pragma once
// Pictures: of traces, of butterflies and of numbers. Text is for terminals; everything else is SVG, one string that is
// a whole file. Nothing is read or written, and equal arguments give equal pictures.

#include <span>
#include <string_view>

#include "kallima/butterfly.hpp"
#include "kallima/trace.hpp"

namespace kallima {

// A timeline for a terminal, one row per rank, `columns` characters wide, with a legend and the times it spans.
std::string draw_text(const Trace& trace, int columns = 100);

// light and dark write their colours out; automatic follows the reader's preference where the viewer knows it, and is
// light elsewhere. Every picture has a background of its own.
enum class Theme { automatic, light, dark };

// Text inside XML: markup is escaped, and what no XML file may hold (control characters, broken UTF-8) becomes U+FFFD.
std::string escaped(std::string_view text);

struct GanttOptions {
  Theme theme = Theme::automatic;
  std::string title = {};
  int rows = 16;  // per trace; of more ranks, evenly chosen ones are shown
  double width = 960;
  bool shifts = false;  // below each rank of further traces: by colour, what begins later or earlier than in the first
};

// Who did what when: a panel for each trace, one below the other, on one time axis. All traces have the same unit.
std::string draw_gantt(std::span<const Trace> traces, const GanttOptions& options = {});

// The work that one output of a butterfly adds, when outputs are made one after the other and each at once takes only
// the nodes it needs: those nodes, column by column, and the time at which the output is ready if a node takes 1.
struct OutputIncrement {
  int output = 0;
  Index time = 0;
  std::vector<ButterflyNode> nodes = {};
  bool operator==(const OutputIncrement&) const = default;
};

std::vector<OutputIncrement> butterfly_increments(const std::vector<int>& permutation);

struct ButterflyFigure {
  int inputs = 8;                     // a power of 2, at most 256
  std::vector<int> permutation = {};  // the order of outputs, if their increments are to be shown
  int ranks = 0;                      // if > 0: outputs name the rank they go to, inputs/ranks neighbours each
  int rank = -1;                      // whose outputs they are: what goes to this rank stays
  std::string title = {};
  Theme theme = Theme::automatic;
};

std::string draw_butterfly(const ButterflyFigure& figure);

// SVG pictures one below the other, as one.
std::string draw_stack(std::span<const std::string> pictures);

// Groups of bars; each bar is a stack of values, the first at the bottom, coloured by their place in `parts`.
struct BarChart {
  struct Bar {
    std::string label;
    std::vector<double> values;
  };
  struct Group {
    std::string label;
    std::vector<Bar> bars;
  };
  std::string title = {};
  std::string axis = {};  // what is measured, with its unit
  std::vector<std::string> parts = {};
  std::vector<Group> groups = {};
  std::string caption = {};
  Theme theme = Theme::automatic;
  double width = 760;
};

std::string draw_bars(const BarChart& chart);

enum class AxisScale { linear, logarithmic };

// How much a curve stands out. Thin and dashed ones are without marks at their points.
enum class Stroke { normal, thin, bold, dashed };

struct Point {
  double x = 0, y = 0;
};

struct LineChart {
  struct Series {
    std::string label;
    std::vector<Point> points;
    Stroke stroke = Stroke::normal;
    std::string hue = {};  // "blue", "vermilion", ... or "ink"; empty: by its place
  };
  struct Stretch {
    double x = 0;
    double low = 0, high = 0;
  };
  struct Level {  // a horizontal line to compare with
    double y = 0;
    std::string label = {};
  };
  std::string title = {};
  std::string x_axis = {}, y_axis = {};
  AxisScale x_scale = AxisScale::linear, y_scale = AxisScale::linear;
  std::vector<Series> series = {};
  std::vector<Level> levels = {};
  std::vector<Stretch> band = {};    // shaded, behind everything
  std::vector<double> x_ticks = {};  // empty: round numbers
  bool legend = true;                // beside the names at the ends of the curves
  bool close_fit = false;            // a logarithmic value axis ends near the values, not at powers of ten
  std::string caption = {};
  Theme theme = Theme::automatic;
  double width = 760;
  double height = 440;
};

std::string draw_lines(const LineChart& chart);

}  // namespace kallima
