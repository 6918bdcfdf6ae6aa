#include "kernel/mod_p/residue_pass.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kallima/problem.hpp"
#include "schedule/walk.hpp"

namespace kallima::kernel {
namespace {

constexpr Index tile_size = 16384;  // doubles: of short lines as many as this holds
constexpr Index usual_lanes = 16;   // of long ones: a pair of cache lines of each row
constexpr Index most_lanes = 256;
constexpr Index cache_line = 64 / sizeof(double);
constexpr Index rows_ahead = 16;  // that are asked for before they are needed

Direction direction_of(const Pass& pass, Direction direction) {
  if (!pass.reversed) return direction;
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

void check(const Pass& pass) {
  const bool known = pass.action == Action::transform || pass.action == Action::move || pass.action == Action::sum;
  require(known && pass.kind == Kind::fourier && !pass.conjugated,
          "residues have no chirps, cosines or conjugates (they are whole numbers modulo p): choose another route");
  for (const std::vector<Piece>* const pieces : {&pass.sources, &pass.targets})
    for (const Piece& piece : *pieces) require(!piece.real, "residues have no real parts: use Data::complex_");
}

// Most rows are a cache line, which need not call anybody.
void copy_row(const double* from, double* to, Index lanes) {
  if (lanes == usual_lanes)
    std::memcpy(to, from, usual_lanes * sizeof(double));
  else
    std::copy_n(from, lanes, to);
}

// Calls move(outside, row, lanes) for rows of neighbours, move_lines(lines, rows, count) for lines of them, and
// otherwise move for single elements.
void each_run(const auto& piece, auto* base, const std::vector<Index>& offsets, const auto& row_of, const auto& move,
              const auto& move_lines) {
  const auto lanes = static_cast<Index>(offsets.size());
  bool neighbours = true;
  for (std::size_t b = 1; b < offsets.size(); ++b) neighbours = neighbours && offsets[b] == offsets[b - 1] + 1;
  if (neighbours && lanes > 1) {
    for (Index e = 0; e < piece.count; ++e) {  // rows far apart, which no processor guesses
      auto* const outside = base + offsets[0] + e * piece.stride;
      for (Index b = 0; b < lanes; b += cache_line) __builtin_prefetch(outside + rows_ahead * piece.stride + b);
      move(outside, row_of(piece.first + e * piece.every), lanes);
    }
    return;
  }
  if (piece.stride != 1 || lanes > most_lanes) {
    for (Index e = 0; e < piece.count; ++e)
      for (Index b = 0; b < lanes; ++b)
        move(base + offsets[at(b)] + e * piece.stride, row_of(piece.first + e * piece.every) + b, 1);
    return;
  }
  constexpr Index at_once = 16;
  decltype(base) lines[most_lanes];
  decltype(row_of(0)) rows[at_once];
  for (Index e0 = 0; e0 < piece.count; e0 += at_once) {
    const Index count = std::min(at_once, piece.count - e0);
    for (Index b = 0; b < lanes; ++b) {
      lines[b] = base + offsets[at(b)] + e0;
      for (Index e = 0; e < at_once; e += cache_line) __builtin_prefetch(lines[b] + 4 * at_once + e);
    }
    for (Index e = 0; e < count; ++e) rows[e] = row_of(piece.first + (e0 + e) * piece.every);
    move_lines(lines, rows, lanes, count);
  }
}

}  // namespace

ResiduePass::ResiduePass(const PrimeField& field, const Pass& pass, std::size_t depth, Direction direction)
    : field_(field),
      pass_(pass),
      sources_(pass.sources),
      targets_(pass.targets),
      depth_(depth),
      lines_(element_count(pass.loops)) {
  check(pass);
  for (std::vector<Piece>* pieces : {&pass_.sources, &pass_.targets}) *pieces = {};
  const Direction sense = direction_of(pass, direction);
  const Index n = pass.length, vector = residue_codelets().lanes;
  const bool transforms = pass.action == Action::transform && n > 1;
  const Index most = std::clamp(tile_size / n, transforms ? usual_lanes : 1, most_lanes);
  together_ = std::max<Index>(1, std::min(lines_, most));
  pitch_ = together_ == 1 && !transforms ? 1 : (together_ + vector - 1) / vector * vector;
  if (transforms) line_ = rows_ntt(field, n, pitch_, sense);
  if (pass.twiddle.modulus > 0) twiddles_.emplace(field, pass.twiddle.modulus, sense);
  natural_.resize(at(n));
  std::iota(natural_.begin(), natural_.end(), Index{0});
}

Index ResiduePass::tile_doubles() const { return pass_.length * pitch_ + (line_ ? line_->tile_doubles(pitch_) : 0); }

double ResiduePass::scale_of(const KernelCall& call) const {
  if (!pass_.scaled || call.scale == 1) return 1;
  const bool divides = call.scale < 1;
  const long double number = std::round(divides ? 1 / call.scale : call.scale);
  const long double off = (divides ? number * call.scale : call.scale / number) - 1;
  require(number >= 1 && std::abs(off) < 1e-12L,
          "residues are multiplied or divided by whole numbers only (not by {}): use Norm::none or Norm::full",
          static_cast<double>(call.scale));
  const std::uint64_t whole = static_cast<std::uint64_t>(number) % field_.prime();
  return field_.centred(divides ? field_.inverse(whole) : whole);
}

void ResiduePass::list(Batch& batch, Index first, Index lanes) const {
  const std::size_t depth = pass_.loops.size();
  batch.lanes = lanes;
  batch.loops.resize(at(lanes) * depth);
  for (Index b = 0; b < lanes; ++b) {
    Index line = first + b;
    for (std::size_t d = depth; d-- > 0; line /= pass_.loops[d]) batch.loops[at(b) * depth + d] = line % pass_.loops[d];
  }
}

std::vector<Index> ResiduePass::offsets(const Batch& batch, const auto& piece, const KernelCall& call) const {
  Index begin = piece.offset;
  for (std::size_t d = 0; d < depth_; ++d) begin += call.at[d] * piece.strides[d];
  std::vector<Index> all(at(batch.lanes), begin);
  const std::size_t depth = pass_.loops.size();
  for (std::size_t b = 0; b < all.size(); ++b)
    for (std::size_t d = 0; d < depth; ++d) all[b] += batch.loops[b * depth + d] * piece.strides[depth_ + d];
  return all;
}

void ResiduePass::gather(const Batch& batch, const KernelCall& call) const {
  const auto row = [&](Index k) { return batch.tile + k * pitch_; };
  if (pitch_ > batch.lanes)  // what no line fills
    for (Index k = 0; k < pass_.length; ++k) std::fill(row(k) + batch.lanes, row(k) + pitch_, 0.0);
  sources_.each([&](std::size_t, const PieceList::ListedPiece& piece) {
    const auto* const base = reinterpret_cast<const double*>(call.source(piece));
    each_run(piece, base, offsets(batch, piece, call), row, copy_row, residue_codelets().rows_of_lines);
  });
}

void ResiduePass::scatter(const Batch& batch, const KernelCall& call) const {
  const Index* const order = line_ ? line_->order().data() : natural_.data();
  const auto row = [&](Index k) -> const double* { return batch.tile + order[k] * pitch_; };
  targets_.each([&](std::size_t, const PieceList::ListedPiece& piece) {
    auto* const base = reinterpret_cast<double*>(call.operands.buffers[at(piece.buffer)]);
    const auto copy = [](double* to, const double* from, Index lanes) { copy_row(from, to, lanes); };
    each_run(piece, base, offsets(batch, piece, call), row, copy, residue_codelets().lines_of_rows);
  });
}

void ResiduePass::sum(const Batch& batch) const {
  const Modulus p = field_.modulus();
  for (Index k = 1; k < pass_.length; ++k)
    for (Index b = 0; b < pitch_; ++b) {
      const double both = batch.tile[b] + batch.tile[k * pitch_ + b];
      batch.tile[b] = both - std::nearbyint(both * p.inverse) * p.p;
    }
}

void ResiduePass::multiply(const Batch& batch, double scale) const {
  const ResidueCodelets& codelets = residue_codelets();
  const Modulus p = field_.modulus();
  const Index count = pass_.action == Action::sum ? 1 : pass_.length;
  if (!twiddles_) {
    if (scale != 1) codelets.scale(batch.tile, count * pitch_, scale, p);
    return;
  }
  const Twiddle& t = pass_.twiddle;
  std::vector<double> base(at(pitch_), 1.0), first(at(pitch_), scale);
  for (Index b = 0; b < batch.lanes; ++b) {
    const Index i = t.loop < 0 ? 0 : batch.loops[at(b) * pass_.loops.size() + at(t.loop)];
    base[at(b)] = twiddles_->power(Int128{t.shift} + Int128{t.step} * i);
  }
  const Index* const order = line_ ? line_->order().data() : natural_.data();
  if (pitch_ == 1)
    codelets.line_by_powers(batch.tile, count, scale, base[0], p);
  else
    codelets.rows_by_powers({batch.tile, pitch_, pitch_}, order, count, first.data(), base.data(), p);
}

void ResiduePass::compute(const Batch& batch, double scale, const Progress& progress) const {
  if (pass_.action == Action::sum) sum(batch);
  if (line_) line_->run({batch.tile, pitch_, pitch_}, batch.tile + pass_.length * pitch_, progress);
  multiply(batch, scale);
}

Ticket ResiduePass::start(const KernelCall& call) const {
  const double scale = scale_of(call);
  thread_local Batch batch;
  for (Index line = 0; line < lines_; line += together_) {
    batch.tile = reinterpret_cast<double*>(call.tile.data());
    list(batch, line, std::min(together_, lines_ - line));
    gather(batch, call);
    compute(batch, scale, call.progress);
    scatter(batch, call);
    call.progress();
  }
  return 0;
}

}  // namespace kallima::kernel
