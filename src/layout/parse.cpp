// Layouts as text and back. The text names the kind, and what follows its colon says how many parts, which axis or
// which boxes. Every grid can be written as group:PARTS/CYCLES, the others are shorter ways to write the usual ones.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "kallima/layout.hpp"
#include "layout/grids.hpp"

namespace kallima {
namespace {

constexpr const char* known =
    "write block:4x2x1, cyclic:4x1x1, group:4x6/2x1, slab, slab:AXIS, pencil, pencil:AXIS, brick, fftw, fftw:AXIS or "
    "boxes:FILE";

Index whole_number(std::string_view word, const std::string& all) {
  const std::optional<Index> value = number_in<Index>(word);
  require(value.has_value(), "layout '{}' is not understood ('{}' is no whole number): {}", all, word, known);
  return *value;
}

Shape numbers_in(std::string_view list, std::size_t count, const std::string& all) {
  Shape numbers;
  for (const std::string& word : split(list, 'x')) numbers.push_back(whole_number(word, all));
  require(numbers.size() == count, "layout '{}' is for {} dimensions, but the array has {}: give a number for each",
          all, numbers.size(), count);
  for (const Index n : numbers)
    require(n >= 1, "layout '{}' is impossible ({} parts): every dimension has at least 1", all, n);
  return numbers;
}

// What a layout is made from.
struct LayoutText {
  const std::string& all;
  std::string_view name;
  std::string_view arguments;  // behind the colon
  const Shape& shape;
  int ranks;
};

std::size_t axis_of(const LayoutText& w, std::size_t otherwise) {
  if (w.arguments.empty()) return otherwise;
  const auto d = static_cast<Index>(w.shape.size());
  const Index axis = whole_number(w.arguments, w.all);
  require(axis >= -d && axis < d, "layout '{}' names axis {}, but the array has {} dimensions: use 0 to {}", w.all,
          axis, d, d - 1);
  return at(axis < 0 ? axis + d : axis);
}

Layout slab(const LayoutText& w) {
  const std::size_t axis = axis_of(w, 0);
  Shape grid(w.shape.size(), 1);
  grid[axis] = std::min<Index>(w.shape[axis], w.ranks);
  return Layout::blocks(w.shape, grid, w.ranks);
}

Layout fftw_slab(const LayoutText& w) { return Layout::slabs(w.shape, w.ranks, axis_of(w, 0)); }

// On as many of the ranks as can have a part, in blocks with the least surface.
Layout compact(const LayoutText& w, std::size_t whole) {
  std::vector<std::size_t> dims(w.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  const auto surface = [&](const Shape& grid) {
    double sum = 0;
    for (const std::size_t k : dims) sum += static_cast<double>(grid[k]) / static_cast<double>(w.shape[k]);
    return sum;
  };
  const std::vector<Shape> grids = widest_grids(
      dims.size(), dims, w.ranks, [&](std::size_t k, Index parts) { return k != whole && parts <= w.shape[k]; });
  const auto less = [&](const Shape& a, const Shape& b) { return surface(a) < surface(b); };
  return Layout::blocks(w.shape, *std::ranges::min_element(grids, less), w.ranks);
}

Layout pencil(const LayoutText& w) {
  require(w.shape.size() >= 2, "layout '{}' needs at least 2 dimensions (one stays whole, others are dealt out): {}",
          w.all, known);
  return compact(w, axis_of(w, w.shape.size() - 1));
}

Layout brick(const LayoutText& w) {
  require(w.arguments.empty(), "layout '{}' is not understood (a brick takes no axis): write brick", w.all);
  return compact(w, w.shape.size());
}

Layout grouped(const LayoutText& w) {
  const std::size_t slash = w.arguments.find('/');
  require(slash != std::string_view::npos, "layout '{}' lacks the cycles: write group:PARTS/CYCLES, as group:4x6/2x1",
          w.all);
  const Shape parts = numbers_in(w.arguments.substr(0, slash), w.shape.size(), w.all);
  const Shape cycles = numbers_in(w.arguments.substr(slash + 1), w.shape.size(), w.all);
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < parts.size(); ++k)
    dims.push_back(Distribution::group_cyclic(w.shape[k], parts[k], cycles[k]));
  return {std::move(dims), w.ranks};
}

nlohmann::json boxes_json(const LayoutText& w) {
  if (w.arguments.starts_with('[')) return nlohmann::json::parse(w.arguments, nullptr, false);
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(w.arguments, error)) file.open(std::string(w.arguments));  // a pipe may be empty
  require(file.is_open(), "layout '{}' names a file that cannot be read ('{}')", w.all, w.arguments);
  return nlohmann::json::parse(file, nullptr, false);
}

bool is_whole(const nlohmann::json& number) {
  return number.is_number_unsigned() ? std::in_range<Index>(number.get<std::uint64_t>()) : number.is_number_integer();
}

Layout boxes(const LayoutText& w) {
  const nlohmann::json list = boxes_json(w);
  bool whole = true;
  for (const auto& pair : list)
    for (const auto& end : pair)
      for (const auto& number : end) whole = whole && is_whole(number);
  std::vector<std::array<Shape, 2>> pairs;
  require(whole && !outcome_of([&] { list.get_to(pairs); }).error,
          "layout '{}' holds no boxes: write JSON such as [[[0,0],[2,3]],[[2,0],[4,3]]], a begin and an end for each "
          "rank, in whole numbers",
          w.all);
  require(pairs.size() == at(w.ranks), "layout '{}' has {} boxes for {} ranks: give one for each", w.all, pairs.size(),
          w.ranks);
  std::vector<Box> boxes;
  for (auto& [begin, end] : pairs) boxes.push_back({std::move(begin), std::move(end)});
  return Layout::boxes(w.shape, std::move(boxes));
}

}  // namespace

Layout layout_from_text(const std::string& text, const Shape& shape, int ranks) {
  const std::size_t colon = text.find(':');
  const std::string_view all = text;
  const LayoutText w{text, all.substr(0, colon), colon == std::string::npos ? "" : all.substr(colon + 1), shape, ranks};
  require(ranks >= 1, "cannot lay out over {} ranks (at least one must own the elements)", ranks);
  if (w.name == "block") return Layout::blocks(shape, numbers_in(w.arguments, shape.size(), text), ranks);
  if (w.name == "cyclic") return Layout::cyclic(shape, numbers_in(w.arguments, shape.size(), text), ranks);
  if (w.name == "group") return grouped(w);
  if (w.name == "slab") return slab(w);
  if (w.name == "pencil") return pencil(w);
  if (w.name == "brick") return brick(w);
  if (w.name == "fftw") return fftw_slab(w);
  if (w.name == "boxes") return boxes(w);
  fail("there is no layout '{}': {}", text, known);
}

std::string layout_to_text(const Layout& layout) {
  if (!layout.is_grid()) {
    auto all = nlohmann::json::array();
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      Shape begin, end;
      for (const Progression& p : layout.owned(rank)) {
        begin.push_back(p.first);
        end.push_back(p.first + p.count);
      }
      all.push_back({begin, end});
    }
    return "boxes:" + all.dump();
  }
  Shape cycles;
  bool block = true, cyclic = true;
  for (const Distribution& d : layout.dims()) {
    cycles.push_back(d.cycle());
    block = block && d.cycle() == 1;
    cyclic = cyclic && d.cycle() == d.parts();
  }
  const std::string parts = fmt::format("{}", fmt::join(layout.grid(), "x"));
  if (block || cyclic) return fmt::format("{}:{}", block ? "block" : "cyclic", parts);
  return fmt::format("group:{}/{}", parts, fmt::join(cycles, "x"));
}

}  // namespace kallima
