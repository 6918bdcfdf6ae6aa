#include <bit>
#include <numeric>

#include "base/check.hpp"
#include "kallima/butterfly.hpp"

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Definition 4.1 on values whose higher bits have been dealt with: both halves must stay in one half of the range each.
bool binary_below(std::span<const int> values, int range) {
  if (range == 1) return true;
  const std::size_t half = values.size() / 2;
  const auto side = [&](int value) { return (value / (range / 2)) % 2; };
  for (std::size_t j = 0; j < values.size(); ++j)
    if (side(values[j]) != (j < half ? side(values[0]) : 1 - side(values[0]))) return false;
  return binary_below(values.first(half), range / 2) && binary_below(values.subspan(half), range / 2);
}

}  // namespace

bool BinaryPermutation::is_binary(std::span<const int> values) {
  if (values.empty() || !std::has_single_bit(values.size())) return false;
  std::vector<bool> seen(values.size());
  for (const int value : values) {
    if (value < 0 || at(value) >= values.size() || seen[at(value)]) return false;
    seen[at(value)] = true;
  }
  return binary_below(values, static_cast<int>(values.size()));
}

BinaryPermutation::BinaryPermutation(std::vector<int> values) : values_(std::move(values)) {
  require(is_binary(values_), "({}) is not a binary permutation: each subtree's leaves must stand together",
          fmt::join(values_, " "));
}

BinaryPermutation BinaryPermutation::identity(int size) {
  std::vector<int> values(at(size));
  std::iota(values.begin(), values.end(), 0);
  return BinaryPermutation(std::move(values));
}

BinaryPermutation BinaryPermutation::sigma(int processors, int rank) {
  std::vector<int> values(at(processors));
  for (int j = 0; j < processors; ++j) values[at(j)] = (processors - 1 - rank) ^ j;
  return BinaryPermutation(std::move(values));
}

BinaryPermutation BinaryPermutation::pi(int processors, int outputs, int rank) {
  return compose(sigma(processors, rank),
                 std::vector<BinaryPermutation>(at(processors), identity(outputs / processors)));
}

BinaryPermutation BinaryPermutation::compose(const BinaryPermutation& outer,
                                             const std::vector<BinaryPermutation>& inner) {
  require(inner.size() == at(outer.size()), "{} blocks need {} orders within, not {}", outer.size(), outer.size(),
          inner.size());
  std::vector<int> values;
  for (int k = 0; k < outer.size(); ++k)
    for (const int value : inner[at(k)].values()) values.push_back(outer[k] * inner[at(k)].size() + value);
  return BinaryPermutation(std::move(values));
}

BinaryPermutation::Parts BinaryPermutation::decompose(int q) const {
  require(q >= 0 && (size() >> q) >= 1, "a permutation of {} values has no {} blocks", size(), Index{1} << q);
  const int length = size() >> q;
  std::vector<int> outer;
  std::vector<BinaryPermutation> inner;
  for (int k = 0; k < size(); k += length) {
    outer.push_back(values_[at(k)] / length);
    std::vector<int> block;
    for (int j = 0; j < length; ++j) block.push_back(values_[at(k + j)] % length);
    inner.emplace_back(std::move(block));
  }
  return {BinaryPermutation(std::move(outer)), std::move(inner)};
}

}  // namespace kallima
