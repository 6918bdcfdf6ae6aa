#include "kernel/mod_p/line_ntt.hpp"

#include <algorithm>
#include <cmath>

namespace kallima::kernel {
namespace {

constexpr Index near_cache = 81920;  // doubles: half of a second cache
constexpr Index columns_at_once = 4;

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

LevelsNtt::LevelsNtt(const PrimeField& field, Index n, Direction direction) : RowsNtt(n), modulus_(field.modulus()) {
  Index length = n, weight = 1;  // of the blocks of a level, and of its digit in the outputs' numbers
  for (const Index radix : radices_of(n)) {
    NttLevel& level = levels_.emplace_back();
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

void LevelsNtt::run(const ResidueRows& x, double*, const Progress& progress) const {
  const ResidueCodelets& codelets = residue_codelets();
  for (const NttLevel& level : levels_) {
    ResidueStage stage = level.stage;
    stage.roots = level.roots.data();
    stage.factors = level.factors.empty() ? nullptr : level.factors.data();
    codelets.stage(x, stage, modulus_);
  }
  progress();
}

FourStepNtt::FourStepNtt(const PrimeField& field, Index n, Index R, Direction direction)
    : RowsNtt(n),
      modulus_(field.modulus()),
      columns_(field, R, direction),
      rows_(field, n / R, direction),
      roots_(field, n, direction) {
  for (Index a = 0; a < R; ++a)
    for (Index b = 0; b < n / R; ++b) order_[at(b * R + a)] = a * (n / R) + rows_.order()[at(b)];
}

Index FourStepNtt::tile_doubles(Index lanes) const {
  return columns_.length() * columns_at_once * lanes + 2 * columns_at_once * lanes;
}

// Columns are copied to where they are near one another and back, in the order of their outputs.
void FourStepNtt::run(const ResidueRows& x, double* tile, const Progress& progress) const {
  const ResidueCodelets& codelets = residue_codelets();
  const Index R = columns_.length(), Q = rows_.length(), most = columns_at_once * x.lanes;
  double* const first = tile + R * most;
  double* const base = first + most;
  std::fill_n(first, most, 1.0);
  for (Index v = 0; v < Q; v += columns_at_once) {
    const Index columns = std::min(columns_at_once, Q - v);
    const ResidueRows near{tile, columns * x.lanes, columns * x.lanes};
    const auto copy = [&](const auto& one) {
      for (Index w = 0; w < R; ++w)
        for (Index c = 0; c < columns; ++c) one(w, x.rows + (w * Q + v + c) * x.pitch, c * x.lanes);
    };
    copy([&](Index w, const double* far, Index at) { std::copy_n(far, x.lanes, near.rows + w * near.pitch + at); });
    columns_.run(near, nullptr, progress);
    for (Index c = 0; c < columns; ++c) std::fill_n(base + c * x.lanes, x.lanes, roots_.power(v + c));
    const std::vector<Index>& order = columns_.order();
    codelets.rows_by_powers(near, order.data(), R, first, base, modulus_);
    copy([&](Index a, double* far, Index at) {
      std::copy_n(near.rows + order[kallima::at(a)] * near.pitch + at, x.lanes, far);
    });
  }
  for (Index a = 0; a < R; ++a) rows_.run({x.rows + a * Q * x.pitch, x.pitch, x.lanes}, nullptr, progress);
}

std::shared_ptr<const RowsNtt> rows_ntt(const PrimeField& field, Index n, Index lanes, Direction direction) {
  if (n * lanes > near_cache)
    for (auto r = static_cast<Index>(std::sqrt(static_cast<double>(n))); r > 7; --r)
      if (n % r == 0) return std::make_shared<FourStepNtt>(field, n, r, direction);
  return std::make_shared<LevelsNtt>(field, n, direction);
}

}  // namespace kallima::kernel
