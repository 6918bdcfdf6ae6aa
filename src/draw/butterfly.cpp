// The butterfly graph, and one processor's share of it in the order in which outputs are made (Sahay 1993, Figures 1
// and 2). A node that an output was the first to need carries that output's number and colour, and so do the edges into
// it; the time at which the output is ready stands beside it. Without an order it is the bare graph. Outputs are made
// in a given order, each with the fewest nodes that are not yet processed (section 4.1). For binary permutations the
// output at position a is then ready at (m - 1) + sum of b_i (i + 1) 2^i, b_i being the bits of a (his Corollary 4.1).

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/check.hpp"
#include "draw/svg.hpp"

namespace kallima {
namespace {

constexpr int max_inputs = 256, max_binary = 64;
constexpr double margin = 20, times_at = 46;
constexpr const char* caption =
    "A number and its colour: the work that an output adds to what earlier ones needed. Every node takes 1 unit of "
    "time.";

struct GraphSizes {
  double pitch, radius, column;
};

GraphSizes sizes_for(int inputs) {
  if (inputs <= 16) return {40, 13, 130};
  return inputs <= 64 ? GraphSizes{22, 8, 150} : GraphSizes{13, 4.5, 170};
}

void check(const std::vector<int>& permutation) {
  const std::size_t size = permutation.size();
  require(std::has_single_bit(size), "no butterfly has {} outputs (it is no power of 2) give 2, 4, 8, ...", size);
  std::set<int> seen;
  for (const int output : permutation)
    require(output >= 0 && at(output) < size && seen.insert(output).second,
            "the order of outputs is no permutation ({} is there twice or not below {}) name each output once", output,
            size);
}

std::string ordinal(std::size_t n) {
  const bool teens = n % 100 >= 11 && n % 100 <= 13;
  return fmt::format("{}{}", n, teens ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th");
}

class ButterflyPainter {
 public:
  explicit ButterflyPainter(const ButterflyFigure& figure) : figure_(figure) {
    for (std::size_t i = 0; i < increments_.size(); ++i)
      for (const ButterflyNode& n : increments_[i].nodes) owner_[{n.row, n.column}] = i;
  }

  std::string draw() {
    Point at{margin, margin};
    svg_.paragraph(at, heading(), width() - 2 * margin, 20, "title", 16.5);
    top_ = at.y + 36 + sizes_.radius;
    draw_column_names();
    // Node (r, c) leads to (r, c + 1) and to (r', c + 1), where r' differs in the (c + 1)-th most significant bit.
    for (int c = 0; c < columns_; ++c)
      for (int row = 0; row < figure_.inputs; ++row)
        for (const int to : {row, row ^ (figure_.inputs >> (c + 1))}) draw_edge({row, c}, {to, c + 1});
    for (int c = 0; c <= columns_; ++c)
      for (int row = 0; row < figure_.inputs; ++row) draw_node({row, c});
    for (int row = 0; row < figure_.inputs; ++row) draw_row_name(row);
    for (std::size_t i = 0; i < increments_.size(); ++i) draw_time(i);
    at.y = place({figure_.inputs - 1, 0}).y + sizes_.radius + margin;
    if (increments_.empty()) return svg_.finish(at.y);
    svg_.paragraph(at, caption, width() - 2 * margin, 16, "muted");
    return svg_.finish(at.y + margin);
  }

 private:
  std::string heading() const {
    if (!figure_.title.empty()) return figure_.title;
    return fmt::format("{} {}-input butterfly", figure_.inputs == 8 ? "An" : "A", figure_.inputs);
  }

  double left() const { return margin + 40 + (figure_.inputs <= max_binary ? 10.0 * columns_ : 0); }
  double width() const {
    const double names = increments_.empty() ? 40 : figure_.ranks > 0 ? 230 : 160;  // at the right
    return std::max(left() + sizes_.column * columns_ + names, 420.0);
  }
  Point place(const ButterflyNode& n) const {
    return {left() + sizes_.column * n.column, top_ + sizes_.pitch * static_cast<double>(n.row)};
  }
  std::string_view hue(std::size_t increment) const {
    return hues[(increment + increment / hues.size() * 3) % hues.size()];
  }

  void draw_edge(const ButterflyNode& from, const ButterflyNode& to) {
    const auto owner = owner_.find({to.row, to.column});
    svg_.line(place(from), place(to), owner == owner_.end() ? "edge" : fmt::format("l-{}", hue(owner->second)));
  }

  void draw_node(const ButterflyNode& node) {
    const Point at = place(node);
    const auto owner = owner_.find({node.row, node.column});
    svg_.circle(at, sizes_.radius, "bg node", fmt::format("node ({}, {})", node.row, node.column));
    if (owner == owner_.end()) return;
    svg_.circle(at, sizes_.radius, fmt::format("t-{}", hue(owner->second)));
    if (sizes_.radius < 6) return;
    svg_.text({at.x, at.y + (sizes_.radius > 10 ? 4 : 3)}, fmt::format("{}", owner->second + 1),
              sizes_.radius > 10 ? "strong" : "tiny", Anchor::middle);
  }

  void draw_row_name(int row) {
    const Point at = place({row, 0});
    const double x = at.x - sizes_.radius - 8;
    const std::string_view size = sizes_.pitch < 20 ? "small" : "";
    if (figure_.inputs > max_binary) return svg_.text({x, at.y + 4}, fmt::format("{}", row), size, Anchor::end);
    svg_.text({x, at.y + 4}, fmt::format("{:0{}b}", row, columns_), fmt::format("muted {}", size), Anchor::end);
    svg_.text({x - 8 - 8.0 * columns_, at.y + 4}, fmt::format("{}", row), size, Anchor::end);
  }

  void draw_time(std::size_t increment) {
    const OutputIncrement& made = increments_[increment];
    const Point at = place({made.output, columns_});
    const double x = at.x + times_at;
    svg_.text({x, at.y + 4}, fmt::format("{}", made.time), sizes_.pitch < 20 ? "small strong" : "strong");
    std::string order = ordinal(increment + 1);
    const int to = figure_.ranks > 0 ? made.output / (figure_.inputs / figure_.ranks) : -1;
    if (to >= 0) order += to == figure_.rank ? ", stays" : fmt::format(", to rank {}", to);
    svg_.text({x + 62, at.y + 4}, order, sizes_.pitch < 20 ? "muted small" : "muted");
  }

  void draw_column_names() {
    const double y = top_ - sizes_.radius - 12;
    for (int c = 0; c <= columns_; ++c)
      svg_.text({place({0, c}).x, y}, fmt::format("column {}", c), "muted", Anchor::middle);
    if (!increments_.empty()) svg_.text({place({0, columns_}).x + times_at, y}, "ready at", "muted");
  }

  const ButterflyFigure& figure_;
  GraphSizes sizes_ = sizes_for(figure_.inputs);
  int columns_ = std::countr_zero(static_cast<unsigned>(figure_.inputs));
  std::vector<OutputIncrement> increments_ =
      figure_.permutation.empty() ? std::vector<OutputIncrement>{} : butterfly_increments(figure_.permutation);
  std::map<std::pair<Index, int>, std::size_t> owner_ = {};  // which increment a node belongs to
  double top_ = margin;
  Svg svg_{width(), figure_.theme, heading()};
};

}  // namespace

// An output needs, in column c, the rows whose first c bits are its own: all of them are there or none.
std::vector<OutputIncrement> butterfly_increments(const std::vector<int>& permutation) {
  check(permutation);
  const int inputs = static_cast<int>(permutation.size());
  std::set<std::pair<int, int>> done;  // column and first row
  std::vector<OutputIncrement> all;
  Index time = 0;
  for (const int output : permutation) {
    OutputIncrement& made = all.emplace_back(OutputIncrement{.output = output});
    for (int column = 1, rows = inputs / 2; rows > 0; ++column, rows /= 2) {
      const int first = output & ~(rows - 1);
      if (!done.insert({column, first}).second) continue;
      for (int row = first; row < first + rows; ++row) made.nodes.push_back({row, column});
    }
    made.time = time += static_cast<Index>(made.nodes.size());
  }
  return all;
}

std::string draw_butterfly(const ButterflyFigure& figure) {
  const bool fits = figure.inputs >= 2 && figure.inputs <= max_inputs;
  require(fits && std::has_single_bit(static_cast<unsigned>(figure.inputs)),
          "a butterfly with {} inputs cannot be drawn (powers of 2 from 2 to {}) choose one", figure.inputs,
          max_inputs);
  require(figure.permutation.empty() || figure.permutation.size() == at(figure.inputs),
          "the order names {} outputs (the butterfly has {}) name each once", figure.permutation.size(), figure.inputs);
  require(figure.ranks >= 0 && (figure.ranks == 0 || figure.inputs % figure.ranks == 0),
          "{} outputs cannot be dealt out to {} ranks (it does not divide them) choose a divisor", figure.inputs,
          figure.ranks);
  return ButterflyPainter(figure).draw();
}

}  // namespace kallima
