#include "cuda/model/line_plan.hpp"

#include <algorithm>
#include <climits>

#include "base/check.hpp"

namespace kallima::cuda {
namespace {

bool is_half(Kind kind) { return kind == Kind::real_to_half || kind == Kind::half_to_real; }
bool is_trigonometric(const Pass& pass) {
  return pass.action == Action::transform && pass.kind != Kind::fourier && !is_half(pass.kind);
}

void each_piece(Pass& pass, const auto& visit) {
  for (std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
    for (Piece& piece : *pieces) visit(piece);
}

// Real and imaginary parts as reals of their own, with a loop over the two.
void split_into_parts(Pass& pass) {
  pass.loops.push_back(2);
  each_piece(pass, [](Piece& piece) {
    piece.offset *= 2;
    piece.stride *= 2;
    for (Index& stride : piece.strides) stride *= 2;
    piece.strides.push_back(1);
    piece.real = true;
  });
}

void erase_loop(Pass& pass, std::size_t depth, std::size_t loop) {
  const auto distance = static_cast<std::ptrdiff_t>(loop);
  pass.loops.erase(pass.loops.begin() + distance);
  each_piece(pass, [&](Piece& piece) {
    piece.strides.erase(piece.strides.begin() + static_cast<std::ptrdiff_t>(depth) + distance);
  });
  if (pass.twiddle.loop == static_cast<int>(loop)) pass.twiddle.loop = -1;
  if (pass.twiddle.loop > static_cast<int>(loop)) --pass.twiddle.loop;
}

// Whether loop l is what loop l + 1 would go on to do.
bool continues(Pass& pass, std::size_t depth, std::size_t l) {
  const int twiddle = pass.twiddle.modulus > 0 ? pass.twiddle.loop : -1;
  bool all = twiddle != static_cast<int>(l) && twiddle != static_cast<int>(l + 1);
  each_piece(pass, [&](const Piece& piece) {
    all = all && piece.strides[depth + l] == piece.strides[depth + l + 1] * pass.loops[l + 1];
  });
  return all;
}

Trigonometric trigonometric_of(Kind kind, int n) {
  Trigonometric t{.elements = n, .m = n};
  const int number = static_cast<int>(kind) - static_cast<int>(Kind::dct1);
  t.sine = number >= 4;
  switch (number % 4) {
    case 0:
      t.m = t.sine ? n + 1 : n - 1;
      t.a = t.b = t.sine ? 2 : 0;
      if (!t.sine) t.first = t.last = 1;
      break;
    case 1:
      t.a = 1;
      t.b = t.sine ? 2 : 0;
      break;
    case 2:
      t.a = t.sine ? 2 : 0;
      t.b = 1;
      (t.sine ? t.last : t.first) = 1;
      break;
    default:
      t.a = t.b = 1;
  }
  if (n == 1 && t.last == 1) t.first = 1;  // the first is the last
  return t;
}

}  // namespace

Pass simplified(Pass pass, std::size_t depth) {
  if (is_trigonometric(pass) && !pass.sources.front().real) split_into_parts(pass);
  for (std::size_t l = pass.loops.size(); l-- > 0;)
    if (pass.loops[l] == 1) erase_loop(pass, depth, l);
  for (std::size_t l = pass.loops.size(); l-- > 1;)
    if (continues(pass, depth, l - 1)) {
      const Index inner = pass.loops[l];
      std::vector<Index> strides;
      each_piece(pass, [&](const Piece& piece) { strides.push_back(piece.strides[depth + l]); });
      erase_loop(pass, depth, l);
      pass.loops[l - 1] *= inner;
      std::size_t i = 0;
      each_piece(pass, [&](Piece& piece) { piece.strides[depth + l - 1] = strides[i++]; });
    }
  return pass;
}

LinePlan line_plan(const Pass& pass, Direction direction) {
  require(pass.length <= INT_MAX / 4, "a line of {} elements is too long for the device (at most {})", pass.length,
          INT_MAX / 4);
  LinePlan plan{.length = static_cast<int>(pass.length), .sign = direction == Direction::forward ? -1.0 : 1.0};
  if (pass.action != Action::transform) return plan;
  if (pass.kind == Kind::real_to_half) {
    plan.kind = LineKind::to_half;
    plan.sign = -1;
  } else if (pass.kind == Kind::half_to_real) {
    plan.kind = LineKind::from_half;
    plan.sign = 1;
  } else if (is_trigonometric(pass)) {
    plan.kind = LineKind::trigonometric;
    plan.trigonometric = trigonometric_of(pass.kind, plan.length);
    plan.length = 2 * plan.trigonometric.m;
    plan.sign = -1;
  }
  return plan;
}

std::optional<std::vector<int>> radices_of(int length) {
  std::vector<int> radices;
  for (const int radix : {13, 11, 7, 5, 3, 8, 4, 2})
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  if (length != 1 || radices.size() > at(most_radices)) return std::nullopt;
  return radices;
}

std::vector<ElementRow> rows_of(const std::vector<Piece>& pieces) {
  std::vector<ElementRow> rows;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (Index e = 0; e < pieces[p].count; ++e)
      rows.push_back(
          {e * pieces[p].stride, static_cast<int>(pieces[p].first + e * pieces[p].every), static_cast<int>(p)});
  return rows;
}

// Enough blocks for all of a large device come first, then as many lines as fit, since neighbouring ones are read
// together.
int lines_together(int length, Index lines, int pieces) {
  constexpr Index blocks = 264, few = 8, most_tables = 2048;
  const Index fit = std::max<Index>(1, block_elements / length);
  const Index wanted = std::max(few, lines / blocks);
  return static_cast<int>(std::max<Index>(1, std::min({fit, wanted, lines, Index{threads}, most_tables / pieces})));
}

}  // namespace kallima::cuda
