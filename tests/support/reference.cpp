#include "reference.hpp"

#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <numbers>
#include <random>
#include <utility>

namespace kallima {

namespace {

// As far as anybody has asked for it.
struct Sequence {
  explicit Sequence(unsigned seed) : random(seed) {}
  Exact next() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const float re = static_cast<float>(uniform(random));
    return {re, static_cast<float>(uniform(random))};
  }
  std::mt19937 random;
  std::vector<Exact> values;
};

}  // namespace

std::vector<Exact> random_values(Index count, unsigned seed) {
  static std::mutex one_at_a_time;
  static std::map<unsigned, Sequence> kept;
  const std::lock_guard lock(one_at_a_time);
  Sequence& sequence = kept.try_emplace(seed, seed).first->second;
  while (static_cast<Index>(sequence.values.size()) < count) sequence.values.push_back(sequence.next());
  return {sequence.values.begin(), sequence.values.begin() + count};
}

// Where long double is computed by software, cosines take longer than the sums they are used in.
const std::vector<Exact>& roots_of_unity(Index n, Direction direction) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<Index, Direction>, std::vector<Exact>> kept;
  const std::lock_guard lock(one_at_a_time);
  std::vector<Exact>& roots = kept[{n, direction}];
  const long double sign = direction == Direction::forward ? -1 : 1;
  for (Index k = static_cast<Index>(roots.size()); k < n; ++k) {
    const long double angle =
        sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

// Kept for the last two layouts, since most of what is tested goes from one to the other and back.
std::vector<std::size_t> places_of(const Layout& layout, int rank) {
  struct Known {
    Layout layout;
    int rank;
    std::vector<std::size_t> places;
  };
  thread_local std::deque<Known> known;
  for (const Known& it : known)
    if (it.rank == rank && it.layout == layout) return it.places;
  std::vector<std::size_t> places;
  const Shape shape = layout.shape();
  for (Index t = 0; t < layout.local_size(rank); ++t) {
    const Shape j = layout.global_index(rank, t);
    Index place = 0;
    for (std::size_t k = 0; k < j.size(); ++k) place = place * shape[k] + j[k];
    places.push_back(static_cast<std::size_t>(place));
  }
  if (known.size() == 2) known.pop_front();
  known.push_back({layout, rank, places});
  return places;
}

double norm_of(const std::vector<Exact>& values) {
  double sum = 0;  // of which a few digits are enough
  for (const Exact& v : values) sum += std::norm(static_cast<std::complex<double>>(v));
  return std::sqrt(sum);
}

std::vector<Exact> reference_dft(const Problem& asked, std::vector<Exact> data, Direction direction) {
  const Problem problem = checked(asked);
  for (const int axis : problem.axes) {
    const Index n = problem.shape[static_cast<std::size_t>(axis)];
    Index stride = 1;
    for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < problem.shape.size(); ++k) stride *= problem.shape[k];
    const std::vector<Exact>& roots = roots_of_unity(n, direction);
    std::vector<Exact> line(static_cast<std::size_t>(n));
    for (Index start = 0; start < static_cast<Index>(data.size()); ++start) {
      if (start / stride % n != 0) continue;
      for (Index k = 0; k < n; ++k) {
        Exact sum = 0;
        for (Index j = 0; j < n; ++j)
          sum += data[static_cast<std::size_t>(start + j * stride)] * roots[static_cast<std::size_t>(j * k % n)];
        line[static_cast<std::size_t>(k)] = sum;
      }
      for (Index k = 0; k < n; ++k)
        data[static_cast<std::size_t>(start + k * stride)] = line[static_cast<std::size_t>(k)];
    }
  }
  return data;
}

}  // namespace kallima
