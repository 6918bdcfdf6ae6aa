#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/choose/search.hpp"

namespace kallima {
namespace {

constexpr double transform_time = 0.15;  // of a word and a level of the transform, in words sent

constexpr double large_primes = 3;  // times as much as small ones, on top of these: they take longer transforms

// Ranks of a product are much alike.
std::vector<int> sampled(bool product, int p) {
  if (p > 16 && product) return {0, 1, p / 2, p - 1};
  std::vector<int> all(static_cast<std::size_t>(p));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double factor(Data data) { return data == Data::real_ ? 0.5 : 1; }

}  // namespace

double exchange_cost(const Held& from, const Held& to, bool same_slots) {
  Index most = 0;
  for (const int rank : sampled(from.spread.is_product() && to.spread.is_product(), to.spread.ranks())) {
    const Block had = from.spread.owned(rank), wanted = to.spread.owned(rank);
    const Index stays = same_slots ? count_of(common(had, wanted)) : 0;
    most = std::max(most, std::max(count_of(had), count_of(wanted)) - stays);
  }
  const Index peers = same_slots ? to.spread.owner_count(from.spread.owned(0)) : to.spread.ranks();
  return exchange_latency + message_latency * static_cast<double>(peers) +
         static_cast<double>(most) * factor(from.data);
}

double transform_levels(Index length) {
  Index rest = length;
  for (const Index prime : {2, 3, 5, 7, 11, 13})
    while (rest % prime == 0) rest /= prime;
  return std::log2(static_cast<double>(length)) + large_primes * std::log2(static_cast<double>(rest));
}

double transform_cost(Index length, Index elements, Data data) {
  return transform_time * std::max(1.0, transform_levels(length)) * static_cast<double>(elements) * factor(data);
}

double transform_cost(const Held& held, const std::vector<Transform>& transforms) {
  Index most = 0;
  for (const int rank : sampled(held.spread.is_product(), held.spread.ranks()))
    most = std::max(most, count_of(held.spread.owned(rank)));
  double cost = 0;
  for (const Transform& t : transforms) cost += transform_cost(t.length, most, held.data);
  return cost;
}

double cost_of(const Path& path) {
  double cost = 0;
  for (std::size_t i = 0; i < path.stops.size(); ++i) {
    const Stop& stop = path.stops[i];
    cost += transform_cost(stop.seen ? *stop.seen : stop.held, stop.transforms);
    if (i == 0) continue;
    const Stop& before = path.stops[i - 1];
    const Held from = before.left ? *before.left : after(before.seen ? *before.seen : before.held, before.transforms);
    cost += exchange_cost(from, stop.held, !stop.cells);
  }
  return cost;
}

}  // namespace kallima
