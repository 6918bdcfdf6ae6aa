#include "kernel/mod_p/line_ntt.hpp"

#include <algorithm>
#include <cmath>

namespace kallima::kernel {
namespace {

Index sign_of(Direction direction) { return direction == Direction::forward ? 1 : -1; }

// Odd ones first, fours last, so that the last stage, which has no factors, is a four.
std::vector<Index> radices_of(Index n) {
  std::vector<Index> odd, even;
  Index rest = n;
  for (; rest % 4 == 0; rest /= 4) even.push_back(4);
  if (rest % 2 == 0) {
    even.insert(even.begin(), 2);
    rest /= 2;
  }
  for (Index q = 3; q <= largest_residue_radix; q += 2)
    for (; rest % q == 0; rest /= q) odd.push_back(q);
  require(rest == 1, "a line of {} residues cannot be transformed (its factor {} has no small prime factors up to {})",
          n, rest, largest_residue_radix);
  odd.insert(odd.end(), even.begin(), even.end());
  return odd;
}

}  // namespace

ResidueRoots::ResidueRoots(const PrimeField& field, Index n, Direction direction)
    : field_(field), n_(n), step_(static_cast<Index>(std::sqrt(static_cast<double>(n))) + 1) {
  const auto powers = [&](std::vector<std::uint64_t>& of, std::uint64_t base) {
    of.resize(at(step_));
    std::uint64_t power = 1;
    for (std::uint64_t& entry : of) {
      entry = power;
      power = field.product(power, base);
    }
    return power;
  };
  powers(coarse_, powers(fine_, field.root(n, sign_of(direction))));
}

double ResidueRoots::power(Int128 k) const {
  const auto e = static_cast<Index>((k % n_ + n_) % n_);
  return field_.centred(field_.product(coarse_[at(e / step_)], fine_[at(e % step_)]));
}

LineNtt::LineNtt(const PrimeField& field, Index n, Direction direction) : modulus_(field.modulus()), order_(at(n), 0) {
  Index length = n, weight = 1;  // of the blocks of a level, and of its digit in the outputs' numbers
  for (const Index radix : radices_of(n)) {
    Level& level = levels_.emplace_back();
    const Index m = length / radix;
    level.stage = {.radix = radix, .blocks = n / length, .m = m};
    const ResidueRoots roots(field, length, direction);
    for (Index q = 0; q < radix; ++q) level.roots.push_back(roots.power(Int128{q} * m));
    for (Index j = 0; j < m && m > 1; ++j)
      for (Index q = 1; q < radix; ++q) level.factors.push_back(roots.power(Int128{q} * j));
    for (Index k = 0; k < n; ++k) order_[at(k)] += k / weight % radix * m;
    length = m;
    weight *= radix;
  }
}

void LineNtt::run(const ResidueRows& x, const Progress& progress) const {
  const ResidueCodelets& codelets = residue_codelets();
  for (const Level& level : levels_) {
    ResidueStage stage = level.stage;
    stage.roots = level.roots.data();
    stage.factors = level.factors.empty() ? nullptr : level.factors.data();
    codelets.stage(x, stage, modulus_);
    progress();
  }
}

Index LongLineNtt::columns_of(Index n) {
  const Index vector = residue_codelets().lanes;
  for (auto r = static_cast<Index>(std::sqrt(static_cast<double>(n))); r > 1; --r)
    if (n % r == 0 && r % rows_at_once == 0 && n / r % vector == 0) return r;
  return 1;
}

LongLineNtt::LongLineNtt(const PrimeField& field, Index n, Direction direction)
    : modulus_(field.modulus()),
      columns_(field, columns_of(n), direction),
      rows_(field, n / columns_of(n), direction),
      roots_(field, n, direction) {}

void LongLineNtt::run(double* from, double* to, double* tile, const Progress& progress) const {
  constexpr Index columns_at_once = 8;
  const ResidueCodelets& codelets = residue_codelets();
  const Index R = columns_.length(), Q = rows_.length();
  const std::vector<double> ones(at(columns_at_once), 1.0);
  std::vector<double> base(at(columns_at_once));
  for (Index v = 0; v < Q; v += columns_at_once) {
    const Index lanes = std::min(columns_at_once, Q - v);
    const ResidueRows columns{from + v, Q, lanes};
    columns_.run(columns, progress);
    for (Index b = 0; b < lanes; ++b) base[at(b)] = roots_.power(v + b);
    codelets.rows_by_powers(columns, columns_.order().data(), R, ones.data(), base.data(), modulus_);
  }
  for (Index a = 0; a < R; a += rows_at_once) {
    const double* rows[rows_at_once];
    for (Index b = 0; b < rows_at_once; ++b) rows[b] = from + columns_.order()[at(a + b)] * Q;
    for (Index v = 0; v < Q; ++v)
      for (Index b = 0; b < rows_at_once; ++b) tile[v * rows_at_once + b] = rows[b][v];
    rows_.run({tile, rows_at_once, rows_at_once}, progress);
    for (Index k = 0; k < Q; ++k) std::copy_n(tile + rows_.order()[at(k)] * rows_at_once, rows_at_once, to + k * R + a);
  }
}

}  // namespace kallima::kernel
