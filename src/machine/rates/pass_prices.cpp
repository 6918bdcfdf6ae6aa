#include "machine/rates/pass_prices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr double overhead_levels = 2;  // of a point besides its butterflies: it is read and written
constexpr double unlike = 0.7;         // how much a level more counts in the distance of two lengths
constexpr std::size_t nearest = 3;     // lengths that one is estimated from

double radix_weight(Index prime) {
  switch (prime) {
    case 2:
      return 1;
    case 3:
      return 1.9;
    case 5:
      return 3;
    case 7:
      return 4.1;
    case 11:
      return 6;
    case 13:
      return 7;
    default:  // summed up term by term, or by two transforms of twice the length
      return std::min(0.9 * static_cast<double>(prime), 4.5 * std::log2(static_cast<double>(prime)));
  }
}

double density(Index length) {
  return radix_levels(length) / std::log2(static_cast<double>(std::max<Index>(2, length)));
}

double distance(Index a, Index b) {
  return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b))) +
         unlike * std::abs(density(a) - density(b));
}

// Those nearest to `length`, with their weights, which add up to 1: all of it for the length itself.
template <class Row>
std::vector<std::pair<const Row*, double>> neighbours(const std::vector<Row>& rows, Index length) {
  std::vector<std::pair<const Row*, double>> all;
  for (const Row& row : rows) {
    const double away = distance(row.length, length);
    if (away == 0) return {{&row, 1}};
    all.push_back({&row, 1 / (away * away)});
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min(nearest, all.size()));
  double sum = 0;
  for (const auto& [row, weight] : all) sum += weight;
  for (auto& [row, weight] : all) weight /= sum;
  return all;
}

// Reals of even length are half as many complex numbers, those of odd length are not: one says nothing of the other.
std::vector<PassRate> comparable(const std::vector<PassRate>& rows, LineWork work, Index length) {
  std::vector<PassRate> some;
  for (const PassRate& row : rows)
    if (work != LineWork::halved || (row.length - length) % 2 == 0) some.push_back(row);
  return some.empty() ? rows : some;
}

// Of points (x, y) with rising x; straight over log x in between, and level beyond the ends.
double interpolated(const std::vector<std::pair<double, double>>& points, double x) {
  const auto above = std::ranges::lower_bound(points, x, {}, &std::pair<double, double>::first);
  if (above == points.begin()) return points.front().second;
  if (above == points.end()) return points.back().second;
  const auto [x0, y0] = *(above - 1);
  const double share = std::log(x / x0) / std::log(above->first / x0);
  return (1 - share) * y0 + share * above->second;
}

}  // namespace

double radix_levels(Index length) {
  double levels = 0;
  for (Index p = 2; p * p <= length; ++p)
    for (; length % p == 0; length /= p) levels += radix_weight(p);
  return length > 1 ? levels + radix_weight(length) : levels;
}

// A few lines across, one along.
double cached_footprint(const PassClass& of, Index length) {
  constexpr double usual = 384 * 1024;
  const double line = static_cast<double>(length) * (of.precision == Precision::single_ ? 8 : 16);
  return std::max(usual, line * (of.stance == Stance::along ? 2 : 16));
}

bool timed_in_place(const PassClass& of) {
  constexpr std::array elsewhere{LineWork::halved, LineWork::move, LineWork::twiddled, LineWork::dealt,
                                 LineWork::shifted, LineWork::chirp, LineWork::product};
  return of.stance != Stance::turned && std::ranges::find(elsewhere, of.work) == elsewhere.end();
}

PassPrices::PassPrices(const Rates& rates, int busy) : rates_(rates) {
  const int cores = std::max(1, rates.cores);
  oversubscribed_ = std::max(1.0, static_cast<double>(busy) / cores);
  cores_ = std::clamp(busy, 1, cores);
  for (const PassRate& rate : rates.passes) passes_[rate.of].push_back(rate);
  for (const MemoryRate& rate : rates.memory) {
    std::vector<Samples>& all = memory_[rate.where];
    if (all.empty() || all.back().length != rate.length) all.push_back({rate.length});
    all.back().rates.emplace_back(rate.footprint, rate.s_per_byte);
  }
  for (auto& [where, all] : memory_)
    for (Samples& one : all) std::ranges::sort(one.rates);
  for (const RowRate& rate : rates.rows) {
    rows_[{rate.meets, Access::read}].emplace_back(rate.length, rate.read_s);
    rows_[{rate.meets, Access::write}].emplace_back(rate.length, rate.write_s);
  }
  for (auto& [where, all] : rows_) std::ranges::sort(all);
}

double PassPrices::row_seconds(Index length, bool meets, Access access) const {
  auto found = rows_.find({meets, access});
  if (found == rows_.end()) found = rows_.find({!meets, access});
  return found == rows_.end() ? 0 : oversubscribed_ * interpolated(found->second, static_cast<double>(length));
}

// Never less than half of what it takes in cache: where a difference of two measurements says so, it errs. A call has a
// group of lines in it, and the rate as many as stood side by side when it was timed.
double PassPrices::seconds(const PassForm& form) {
  const auto [known, is_new] = priced_.try_emplace(form);
  if (!is_new) return known->second;
  const double own = in_cache(form.of, form.length);
  constexpr std::array complex_ones{LineWork::twiddled, LineWork::dealt, LineWork::shifted};
  const bool is_complex = std::ranges::find(complex_ones, form.of.work) != complex_ones.end();
  const LineWork work = is_complex                    ? LineWork::complex_
                        : is_transform(form.of.work) ? form.of.work
                                                     : LineWork::move;
  const Surroundings here{form.of.stance, work, form.in_place, form.meets, cores_, form.uneven};
  const Surroundings timed{form.of.stance, work, timed_in_place(form.of), false, 1, false};
  const double cached = cached_footprint(form.of, form.length);
  double extra = more(here, form.length, std::max(form.footprint, cached)) - more(timed, form.length, cached);
  if (extra > 0) extra *= form.fetched;
  const double a_group = work == LineWork::move ? rates_.moved_group_s : rates_.group_s;
  const double groups = a_group * (form.groups - 1 - form.lines / usual_lanes);
  const double lines = form.bytes * std::max(own / 2, own + extra);
  return known->second = oversubscribed_ * (rates_.call_s + std::max(lines / 2, lines + groups));
}

// Of a class that nobody has timed what comes nearest: the other precision's, or lines that stand otherwise.
double PassPrices::in_cache(const PassClass& of, Index length) {
  const auto [known, is_new] = known_.try_emplace({of, length});
  if (!is_new) return known->second;
  auto found = passes_.find(of);
  for (const Precision precision : {of.precision, Precision::double_, Precision::single_})
    for (const LineWork work : {of.work, LineWork::complex_})
      for (const Stance stance : {of.stance, Stance::across, Stance::along})
        if (found == passes_.end()) found = passes_.find({stance, work, precision});
  require(found != passes_.end(), "the machine has no rates of passes: run kallima calibrate, or name another");
  const auto levels = [&](Index n) { return is_transform(of.work) ? overhead_levels + radix_levels(n) : 1; };
  const std::vector<PassRate> rows = comparable(found->second, of.work, length);
  double sum = 0;
  for (const auto& [row, weight] : neighbours(rows, length))
    sum += weight * row->s_per_byte * levels(length) / levels(row->length);
  return known->second = sum;
}

// Between numbers of cores that were measured as many more or less as there are.
double PassPrices::more(Surroundings where, Index length, double footprint) {
  std::vector<int> counts;
  for (const auto& [known, all] : memory_)
    if (counts.empty() || std::ranges::find(counts, known.cores) == counts.end()) counts.push_back(known.cores);
  if (counts.empty()) return 0;
  std::ranges::sort(counts);
  std::vector<std::pair<double, double>> by_cores;
  for (const int cores : counts) {
    const int wanted = std::exchange(where.cores, cores);
    double sum = 0;
    for (const auto& [row, weight] : neighbours(samples(where), length))
      sum += weight * interpolated(row->rates, footprint);
    by_cores.emplace_back(cores, sum);
    where.cores = wanted;
  }
  return interpolated(by_cores, where.cores);
}

const std::vector<PassPrices::Samples>& PassPrices::samples(Surroundings where) {
  static const std::vector<Samples> none;
  for (const LineWork work : {where.work, LineWork::complex_})
    for (const bool uneven : {where.uneven, false})
      for (const bool meets : {where.meets, false})
        for (const bool in_place : {where.in_place, false, true})
          if (const auto found = memory_.find({where.stance, work, in_place, meets, where.cores, uneven});
              found != memory_.end())
            return found->second;
  return none;
}

}  // namespace kallima
