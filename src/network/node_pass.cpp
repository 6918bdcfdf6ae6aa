#include "network/node_pass.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "schedule/piece_list.hpp"

namespace kallima {
namespace {

// Of a tile: rows far apart are read well where each is long, as long as the tile stays in a second-level cache.
constexpr std::size_t shortest_row_bytes = 128;
constexpr std::size_t longest_row_bytes = 512;
constexpr std::size_t usual_tile_bytes = 1 << 19;
constexpr Index short_row = NodeLevels::neighbours;  // elements of a line's shortest stretch
constexpr Index cache_line = 64;
constexpr Index rows_ahead = 4;  // that are asked for: they are too far apart for hardware to guess

// Of some hundred bytes that are in no cache: in few instructions, so that a processor sees many of them at once and
// waits for many cache lines at the same time, and from the first to the last.
template <std::size_t together>
[[gnu::always_inline]] inline void copy_blocks(std::byte*& to, const std::byte*& from, std::size_t& bytes) {
  typedef std::uint64_t Block __attribute__((vector_size(16), aligned(1), may_alias));
  constexpr std::size_t at_once = together * sizeof(Block);
  for (; bytes >= at_once; bytes -= at_once, from += at_once, to += at_once)
#pragma GCC unroll 32
    for (std::size_t k = 0; k < together; k += 2) {
      const Block a = reinterpret_cast<const Block*>(from)[k], b = reinterpret_cast<const Block*>(from)[k + 1];
      reinterpret_cast<Block*>(to)[k] = a;
      reinterpret_cast<Block*>(to)[k + 1] = b;
    }
}

[[gnu::always_inline]] inline void copy_upwards(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_blocks<32>(to, from, bytes);
  copy_blocks<4>(to, from, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

constexpr auto fetched =
    [](std::byte * tile, const std::byte* outside, std::size_t bytes) __attribute__((always_inline)) {
  copy_upwards(tile, outside, bytes);
};
constexpr auto stored =
    [](const std::byte* tile, std::byte* outside, std::size_t bytes) __attribute__((always_inline)) {
  copy_upwards(outside, tile, bytes);
};

inline void ask_for(const std::byte* row, std::size_t bytes) {
  constexpr int second_level = 2;
  for (const std::byte* line = row; line < row + bytes; line += cache_line) __builtin_prefetch(line, 0, second_level);
}

// Squares of short_row values a side, of rows that are a pitch apart. Of values that a register holds two by two are
// transposed at a time.
struct Square {
  std::byte* values;
  Index pitch;
};
template <class Word>
void transpose_words(const Square& to, const Square& from) {
  typedef Word Pair __attribute__((vector_size(2 * sizeof(Word)), aligned(1), may_alias));
  const auto pair = [](const Square& square, Index row, Index column) {
    return reinterpret_cast<Pair*>(square.values + row * square.pitch + column * static_cast<Index>(sizeof(Word)));
  };
  for (Index i = 0; i < short_row; i += 2)
    for (Index j = 0; j < short_row; j += 2) {
      const Pair a = *pair(from, i, j), b = *pair(from, i + 1, j);
      *pair(to, j, i) = __builtin_shufflevector(a, b, 0, 2);
      *pair(to, j + 1, i) = __builtin_shufflevector(a, b, 1, 3);
    }
}

void transpose_square(const Square& to, const Square& from, Index bytes) {
  if (bytes == 4) return transpose_words<std::uint32_t>(to, from);
  if (bytes == 8) return transpose_words<std::uint64_t>(to, from);
  for (Index i = 0; i < short_row; ++i)
    for (Index j = 0; j < short_row; ++j)
      std::memcpy(to.values + j * to.pitch + i * bytes, from.values + i * from.pitch + j * bytes, at(bytes));
}

}  // namespace

NodePass::NodePass(const NetworkShape& shape, const AnyNode& node, std::size_t bytes, const Pass& pass,
                   std::size_t depth)
    : shape_(shape),
      node_(node),
      bytes_(bytes),
      pass_(pass),
      depth_(depth),
      lines_(element_count(pass.loops)),
      levels_(node, log2_of(shape.R * shape.Q)) {
  const bool known = pass.action == Action::transform || pass.action == Action::move;
  require(known && !pass.conjugated, "a butterfly's values are moved and handed to its nodes, and nothing else");
  const auto length = static_cast<std::size_t>(pass.length);
  const std::size_t wanted =
      std::clamp(usual_tile_bytes / (length * bytes) * bytes, shortest_row_bytes, longest_row_bytes);
  together_ = std::clamp<Index>(static_cast<Index>(wanted / bytes), 1, std::max<Index>(1, lines_));
  copies_ = pass.action == Action::move && elements_are_neighbours() && pass.sources.size() == 1;
  by_line_ = pass.action == Action::transform && elements_are_neighbours() && reads_where_it_writes() &&
             pass.length >= short_row * short_row;
}

bool NodePass::elements_are_neighbours() const {
  const auto together = [](const Piece& piece) { return piece.stride == 1 && piece.every == 1; };
  return std::ranges::all_of(pass_.sources, together) && pass_.targets.size() == 1 && together(pass_.targets[0]);
}

// A line's levels are done in its target, which may be where it came from: then value by value.
bool NodePass::reads_where_it_writes() const {
  const Piece& target = pass_.targets[0];
  return std::ranges::all_of(pass_.sources, [&](const Piece& source) {
    return source.recv >= 0 || source.buffer != target.buffer ||
           (source.offset - source.first == target.offset - target.first && source.strides == target.strides);
  });
}

std::size_t NodePass::tile_bytes() const {
  if (by_line_) return levels_.takes_neighbours() ? 0 : at(short_row * short_row) * bytes_;
  return at(pass_.length * tile_pitch());
}

Ticket NodePass::start(const KernelCall& call) const {
  const Index at_once = by_line_ ? 1 : together_;
  for (Index line = 0; line < lines_; line += at_once) {
    if (copies_)
      copy_lines(call, line, std::min(at_once, lines_ - line));
    else
      by_line_ ? start_line(call, line) : start_lanes(call, line, std::min(together_, lines_ - line));
    call.progress();
  }
  return 0;
}

Index NodePass::tile_pitch() const { return together_ * size() + cache_line; }

NodeTile NodePass::tile_of(std::byte* tile, Index line, Index lanes) const {
  const Index number = number_of_line(line);
  return {.values = tile,
          .pitch = tile_pitch(),
          .all = pass_.length,
          .number = butterfly_row(0, number),
          .row_step = butterfly_row(1, 0),
          .step = butterfly_row(0, lanes > 1 ? number_of_line(line + 1) - number : 1),
          .count = lanes,
          .value_bytes = size()};
}

void NodePass::copy_lines(const KernelCall& call, Index line, Index lines) const {
  const Piece &source = pass_.sources[0], &target = pass_.targets[0];
  const std::byte* const from = call.source(source) + piece_offset(call, source) * size();
  std::byte* const to = call.operands.buffers[at(target.buffer)] + piece_offset(call, target) * size();
  for (; lines > 0; --lines, ++line)
    std::memmove(to + line_offset(line, target) * size(), from + line_offset(line, source) * size(),
                 at(pass_.length) * bytes_);
}

// ---- a line whose elements are neighbours ---------------------------------------------------------------------------

void NodePass::start_line(const KernelCall& call, Index line) const {
  const Piece& target = pass_.targets[0];
  const Index neighbour = butterfly_row(1, 0);
  NodeTile rows{
      .pitch = short_row * size(), .all = pass_.length / short_row, .number = butterfly_row(0, number_of_line(line))};
  rows.values =
      call.operands.buffers[at(target.buffer)] + (piece_offset(call, target) + line_offset(line, target)) * size();
  rows.row_step = short_row * neighbour;
  rows.step = neighbour;
  rows.count = short_row;
  rows.value_bytes = size();
  const auto find = [&](Index element) { return source_of(call, line, element); };
  levels_.run_from(rows, find, [&](Index first, Index count) {
    levels_.takes_neighbours() ? levels_.run_neighbours(rows, first, count)
                               : run_squares(rows, first, count, call.tile.data());
  });
}

NodeLevels::Source NodePass::source_of(const KernelCall& call, Index line, Index element) const {
  const auto has = [&](const Piece& piece) { return piece.first <= element && element < piece.first + piece.count; };
  const Piece& piece = *std::ranges::find_if(pass_.sources, has);
  const Index skipped = element - piece.first;
  return {call.source(piece) + (piece_offset(call, piece) + line_offset(line, piece) + skipped) * size(),
          piece.count - skipped};
}

// The levels within short_row rows of as many values: those of the columns of their transpose.
void NodePass::run_squares(const NodeTile& rows, Index first, Index count, std::byte* square) const {
  NodeTile columns{.values = square,
                   .pitch = rows.pitch,
                   .all = short_row,
                   .row_step = rows.step,
                   .step = rows.row_step,
                   .count = short_row,
                   .value_bytes = size()};
  for (Index row = first; row < first + count; row += short_row) {
    columns.number = rows.number + row * rows.row_step;
    transpose_square({square, rows.pitch}, {rows.row(row), rows.pitch}, size());
    levels_.run(columns, [](Index, Index) {});
    transpose_square({rows.row(row), rows.pitch}, {square, rows.pitch}, size());
  }
}

// ---- lines whose elements are far apart -----------------------------------------------------------------------------

// The last levels of a tile's rows go to where the rows do, if its lines are neighbours there.
void NodePass::start_lanes(const KernelCall& call, Index line, Index lanes) const {
  const auto target = [&](const Piece& piece) { return call.operands.buffers[at(piece.buffer)]; };
  move_all(
      call, pass_.sources, line, lanes, [&](const Piece& piece) { return call.source(piece); }, fetched);
  NodeTile tile = tile_of(call.tile.data(), line, lanes);
  std::vector<std::byte*> to;
  if (pass_.action == Action::transform) {
    if (evenly_apart(line, lanes)) to = rows_of_targets(call, line, lanes);
    if (!to.empty()) tile.to = to.data();
    run_lanes(tile, line, lanes);
  }
  if (to.empty()) move_all(call, pass_.targets, line, lanes, target, stored);
}

// None where lines are not neighbours there.
std::vector<std::byte*> NodePass::rows_of_targets(const KernelCall& call, Index line, Index lanes) const {
  std::vector<std::byte*> to(at(pass_.length));
  for (const Piece& piece : pass_.targets) {
    if (!lie_together(piece, line, lanes)) return {};
    std::byte* row =
        call.operands.buffers[at(piece.buffer)] + (piece_offset(call, piece) + line_offset(line, piece)) * size();
    for (Index e = 0; e < piece.count; ++e, row += piece.stride * size()) to[at(piece.first + e * piece.every)] = row;
  }
  return to;
}

bool NodePass::evenly_apart(Index line, Index lanes) const {
  const Index number = number_of_line(line), next = lanes > 1 ? number_of_line(line + 1) - number : 1;
  return number_of_line(line + lanes - 1) == number + (lanes - 1) * next;
}

bool NodePass::lie_together(const Piece& piece, Index line, Index lanes) const {
  return lanes > 1 && line_offset(line + lanes - 1, piece) - line_offset(line, piece) == lanes - 1;
}

void NodePass::run_lanes(NodeTile tile, Index line, Index lanes) const {
  const auto done = [](Index, Index) {};
  if (evenly_apart(line, lanes)) return levels_.run(tile, done);
  tile.count = 1;
  for (Index b = 0; b < lanes; ++b, tile.values += size()) {
    tile.number = butterfly_row(0, number_of_line(line + b));
    levels_.run(tile, done);
  }
}

// Calls copy(in the tile, outside, bytes) for all values of the lines, base_of() being where a piece's offsets begin.
void NodePass::move_all(const KernelCall& call, const std::vector<Piece>& pieces, Index line, Index lanes,
                        const auto& base_of, const auto& copy) const {
  const NodeTile rows = tile_of(call.tile.data(), line, lanes);
  for (const Piece& piece : pieces) {
    auto* const base = base_of(piece) + piece_offset(call, piece) * size();
    if (lie_together(piece, line, lanes)) {
      move_rows(rows, piece, base + line_offset(line, piece) * size(), copy);
      continue;
    }
    std::vector<Index> offsets;
    for (Index b = 0; b < lanes; ++b) offsets.push_back(line_offset(line + b, piece));
    if (bytes_ == 4)
      move_values<4>(rows, piece, base, offsets, copy);
    else if (bytes_ == 8)
      move_values<8>(rows, piece, base, offsets, copy);
    else
      move_values<0>(rows, piece, base, offsets, copy);
  }
}

void NodePass::move_rows(const NodeTile& rows, const Piece& piece, auto* base, const auto& copy) const {
  const std::size_t bytes = at(rows.count) * bytes_;
  const Index step = piece.stride * size();
  for (Index e = 0; e < piece.count; ++e, base += step) {
    if (e + rows_ahead < piece.count) ask_for(base + rows_ahead * step, bytes);
    copy(rows.row(piece.first + e * piece.every), base, bytes);
  }
}

// Values of a size that the compiler knows are moved without calling anybody, some neighbours of each line at a time.
template <std::size_t known>
void NodePass::move_values(const NodeTile& rows, const Piece& piece, auto* base, const std::vector<Index>& offsets,
                           const auto& copy) const {
  constexpr Index at_once = 16;
  const std::size_t bytes = known > 0 ? known : bytes_;
  for (Index e0 = 0; e0 < piece.count; e0 += at_once)
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      auto* const ahead = base + (offsets[b] + (e0 + 4 * at_once) * piece.stride) * size();  // lines are far apart
      for (Index line = 0; line < at_once * size(); line += 64) __builtin_prefetch(ahead + line);
      for (Index e = e0; e < std::min(piece.count, e0 + at_once); ++e)
        copy(rows.row(piece.first + e * piece.every) + b * bytes, base + (offsets[b] + e * piece.stride) * size(),
             bytes);
    }
}

// ---- which lines they are -------------------------------------------------------------------------------------------

Index NodePass::line_offset(Index line, const Piece& piece) const {
  Index offset = 0;
  for (std::size_t d = pass_.loops.size(); d-- > 0; line /= pass_.loops[d])
    offset += line % pass_.loops[d] * piece.strides[depth_ + d];
  return offset;
}

Index NodePass::piece_offset(const KernelCall& call, const Piece& piece) const {
  Index offset = piece.offset;
  for (std::size_t d = 0; d < depth_; ++d) offset += call.at[d] * piece.strides[d];
  return offset;
}

// The number of a line among all: what its factors are powers by.
Index NodePass::number_of_line(Index line) const {
  const Twiddle& t = pass_.twiddle;
  if (t.loop < 0) return t.shift;
  for (std::size_t d = pass_.loops.size() - 1; d > at(t.loop); --d) line /= pass_.loops[d];
  return t.shift + t.step * (line % pass_.loops[at(t.loop)]);
}

Index NodePass::butterfly_row(Index element, Index number) const {
  const bool along_columns = pass_.twiddle.modulus == shape_.R * shape_.Q;
  return along_columns ? element * shape_.Q + number : number * shape_.Q + element;
}

}  // namespace kallima
