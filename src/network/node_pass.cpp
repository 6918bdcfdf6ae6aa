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
constexpr Index short_row = 16;  // elements of a line's shortest stretch: the last levels are those of a square
constexpr int most_levels = 4;

void fetched(std::byte* tile, const std::byte* outside, std::size_t bytes) { std::memcpy(tile, outside, bytes); }
void stored(const std::byte* tile, std::byte* outside, std::size_t bytes) { std::memcpy(outside, tile, bytes); }

// Squares of short_row values a side. Of values that a register holds two by two are transposed at a time.
template <class Word>
void transpose_words(std::byte* to, const std::byte* from) {
  typedef Word Pair __attribute__((vector_size(2 * sizeof(Word)), aligned(1), may_alias));
  const auto pair = [](auto* square, Index row, Index column) {
    return square + (row * short_row + column) * static_cast<Index>(sizeof(Word));
  };
  for (Index i = 0; i < short_row; i += 2)
    for (Index j = 0; j < short_row; j += 2) {
      const Pair a = *reinterpret_cast<const Pair*>(pair(from, i, j));
      const Pair b = *reinterpret_cast<const Pair*>(pair(from, i + 1, j));
      *reinterpret_cast<Pair*>(pair(to, j, i)) = __builtin_shufflevector(a, b, 0, 2);
      *reinterpret_cast<Pair*>(pair(to, j + 1, i)) = __builtin_shufflevector(a, b, 1, 3);
    }
}

void transpose_square(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 4) return transpose_words<std::uint32_t>(to, from);
  if (bytes == 8) return transpose_words<std::uint64_t>(to, from);
  for (std::size_t i = 0; i < short_row; ++i)
    for (std::size_t j = 0; j < short_row; ++j)
      std::memcpy(to + (j * short_row + i) * bytes, from + (i * short_row + j) * bytes, bytes);
}

}  // namespace

NodePass::NodePass(const NetworkShape& shape, const AnyNode& node, std::size_t bytes, const Pass& pass,
                   std::size_t depth)
    : shape_(shape), node_(node), bytes_(bytes), pass_(pass), depth_(depth), lines_(element_count(pass.loops)) {
  const bool known = pass.action == Action::transform || pass.action == Action::move;
  require(known && !pass.conjugated, "a butterfly's values are moved and handed to its nodes, and nothing else");
  const auto length = static_cast<std::size_t>(pass.length);
  const std::size_t wanted =
      std::clamp(usual_tile_bytes / (length * bytes) * bytes, shortest_row_bytes, longest_row_bytes);
  together_ = std::clamp<Index>(static_cast<Index>(wanted / bytes), 1, std::max<Index>(1, lines_));
  copies_ = pass.action == Action::move && elements_are_neighbours() && pass.sources.size() == 1;
  by_line_ = pass.action == Action::transform && elements_are_neighbours() && pass.length >= short_row * short_row;
}

bool NodePass::elements_are_neighbours() const {
  const auto together = [](const Piece& piece) { return piece.stride == 1 && piece.every == 1; };
  return std::ranges::all_of(pass_.sources, together) && pass_.targets.size() == 1 && together(pass_.targets[0]);
}

std::size_t NodePass::tile_bytes() const {
  const Rows rows = rows_of(nullptr, 0, together_);
  return place(rows, rows.all) + at(by_line_ ? short_row * short_row : 0) * bytes_;
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

// Where row `row` begins. The rows of the first nodes are a power of two apart and would fight for cache sets: each
// sixteenth of the tile begins two cache lines later than it would.
std::size_t NodePass::place(const Rows& rows, Index row) {
  constexpr Index skew = 128;
  return at(row) * rows.bytes + at((row >> rows.skewed_by) * skew);
}

NodePass::Rows NodePass::rows_of(std::byte* tile, Index line, Index lanes) const {
  const Index number = number_of_line(line), neighbour = butterfly_row(1, 0);
  Rows rows{.tile = tile, .number = butterfly_row(0, number)};
  rows.bytes = at(by_line_ ? short_row : together_) * bytes_;
  rows.all = by_line_ ? pass_.length / short_row : pass_.length;
  rows.row_step = by_line_ ? short_row * neighbour : neighbour;
  rows.step = by_line_ ? neighbour : butterfly_row(0, lanes > 1 ? number_of_line(line + 1) - number : 1);
  rows.count = by_line_ ? short_row : lanes;
  if (rows.all >= short_row * short_row && power_of_two(rows.all)) rows.skewed_by = log2_of(rows.all) - most_levels;
  return rows;
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
  const Rows rows = rows_of(call.tile.data(), line, 1);
  for (const Piece& piece : pass_.sources) {
    const std::byte* from = call.source(piece) + (piece_offset(call, piece) + line_offset(line, piece)) * size();
    for (Index e = piece.first, next = 0; e < piece.first + piece.count; from += (next - e) * size(), e = next) {
      next = std::min((e / short_row + 1) * short_row, piece.first + piece.count);
      std::memcpy(rows.tile + place(rows, e / short_row) + e % short_row * size(), from, at(next - e) * bytes_);
    }
  }
  const Piece& target = pass_.targets[0];
  std::byte* const out =
      call.operands.buffers[at(target.buffer)] + (piece_offset(call, target) + line_offset(line, target)) * size();
  run_levels(rows, 0, rows.all);
  run_squares(rows, rows.tile + place(rows, rows.all), out);
}

// The levels within short_row rows of as many values: those of the columns of their transpose.
void NodePass::run_squares(const Rows& rows, std::byte* square, std::byte* out) const {
  Rows columns{.tile = square,
               .bytes = rows.bytes,
               .all = short_row,
               .number = rows.number,
               .row_step = rows.step,
               .step = rows.row_step,
               .count = short_row};
  for (Index row = 0; row < rows.all; row += short_row, columns.number += short_row * rows.row_step) {
    std::byte* const to = out + row * short_row * size();
    transpose_square(square, rows.tile + place(rows, row), bytes_);
    run_levels(columns, 0, short_row);
    transpose_square(to, square, bytes_);
  }
}

// ---- lines whose elements are far apart -----------------------------------------------------------------------------

void NodePass::start_lanes(const KernelCall& call, Index line, Index lanes) const {
  move_all(
      call, pass_.sources, line, lanes, [&](const Piece& piece) { return call.source(piece); }, fetched);
  if (pass_.action == Action::transform) {
    Rows rows = rows_of(call.tile.data(), line, lanes);
    const Index last =
        number_of_line(line) + (lanes - 1) * (lanes > 1 ? number_of_line(line + 1) - number_of_line(line) : 1);
    const bool even = number_of_line(line + lanes - 1) == last;
    if (even) run_levels(rows, 0, rows.all);
    for (Index b = 0; !even && b < lanes; ++b, rows.tile += size()) {
      rows.number = butterfly_row(0, number_of_line(line + b));
      rows.count = 1;
      run_levels(rows, 0, rows.all);
    }
  }
  move_all(
      call, pass_.targets, line, lanes, [&](const Piece& piece) { return call.operands.buffers[at(piece.buffer)]; },
      stored);
}

// Calls copy(in the tile, outside, bytes) for all values of the lines, base_of() being where a piece's offsets begin.
void NodePass::move_all(const KernelCall& call, const std::vector<Piece>& pieces, Index line, Index lanes,
                        const auto& base_of, const auto& copy) const {
  const Rows rows = rows_of(call.tile.data(), line, lanes);
  for (const Piece& piece : pieces) {
    auto* const base = base_of(piece) + piece_offset(call, piece) * size();
    std::vector<Index> offsets;
    for (Index b = 0; b < lanes; ++b) offsets.push_back(line_offset(line + b, piece));
    const bool neighbours = lanes > 1 && offsets.back() - offsets.front() == lanes - 1;
    if (neighbours)
      move_rows(rows, piece, base + offsets[0] * size(), copy);
    else if (bytes_ == 4)
      move_values<4>(rows, piece, base, offsets, copy);
    else if (bytes_ == 8)
      move_values<8>(rows, piece, base, offsets, copy);
    else
      move_values<0>(rows, piece, base, offsets, copy);
  }
}

void NodePass::move_rows(const Rows& rows, const Piece& piece, auto* base, const auto& copy) const {
  constexpr Index ahead = 8;  // rows far apart, which no processor guesses
  const std::size_t bytes = at(rows.count) * bytes_;
  for (Index e = 0; e < piece.count; ++e) {
    auto* const outside = base + e * piece.stride * size();
    for (std::size_t b = 0; b < bytes; b += 64)
      __builtin_prefetch(outside + ahead * piece.stride * size() + static_cast<Index>(b));
    copy(rows.tile + place(rows, piece.first + e * piece.every), outside, bytes);
  }
}

// Values of a size that the compiler knows are moved without calling anybody, some neighbours of each line at a time.
template <std::size_t known>
void NodePass::move_values(const Rows& rows, const Piece& piece, auto* base, const std::vector<Index>& offsets,
                           const auto& copy) const {
  constexpr Index at_once = 16;
  const std::size_t bytes = known > 0 ? known : bytes_;
  for (Index e0 = 0; e0 < piece.count; e0 += at_once)
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      auto* const ahead = base + (offsets[b] + (e0 + 4 * at_once) * piece.stride) * size();  // lines are far apart
      for (Index line = 0; line < at_once * size(); line += 64) __builtin_prefetch(ahead + line);
      for (Index e = e0; e < std::min(piece.count, e0 + at_once); ++e)
        copy(rows.tile + place(rows, piece.first + e * piece.every) + b * bytes,
             base + (offsets[b] + e * piece.stride) * size(), bytes);
    }
}

// ---- levels ---------------------------------------------------------------------------------------------------------

// As many at once as the node takes, about as many each time, on parts of rows that are `length` and then shorter.
void NodePass::run_levels(const Rows& rows, Index begin, Index length) const {
  if (length == 1) return;
  const int all = log2_of(length), most = std::min(most_levels, node_.most_levels);
  const int times = (all + most - 1) / most, levels = (all + times - 1) / times;
  const Index part = length >> levels, radix = Index{1} << levels;
  NodeRun run{.distance = part * rows.row_step, .step = rows.step, .count = rows.count, .levels = levels};
  run.level = log2_of(shape_.R * shape_.Q) - levels - log2_of(run.distance);
  std::byte* of_node[1 << most_levels];
  for (Index j = begin; j < begin + part; ++j) {
    run.position = rows.number + j * rows.row_step;
    for (Index q = 0; q < radix; ++q) of_node[q] = rows.tile + place(rows, j + q * part);
    node_.run(run, of_node);
  }
  for (Index q = 0; q < radix; ++q) run_levels(rows, begin + q * part, part);
}

// ---- which lines they are -------------------------------------------------------------------------------------------

std::vector<Index> NodePass::loops_of(Index line) const {
  std::vector<Index> loops(pass_.loops.size());
  for (std::size_t d = loops.size(); d-- > 0; line /= pass_.loops[d]) loops[d] = line % pass_.loops[d];
  return loops;
}

Index NodePass::line_offset(Index line, const Piece& piece) const {
  const std::vector<Index> loops = loops_of(line);
  Index offset = 0;
  for (std::size_t d = 0; d < loops.size(); ++d) offset += loops[d] * piece.strides[depth_ + d];
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
  return t.shift + (t.loop < 0 ? 0 : t.step * loops_of(line)[at(t.loop)]);
}

Index NodePass::butterfly_row(Index element, Index number) const {
  const bool along_columns = pass_.twiddle.modulus == shape_.R * shape_.Q;
  return along_columns ? element * shape_.Q + number : number * shape_.Q + element;
}

}  // namespace kallima
