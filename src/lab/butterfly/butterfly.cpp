// Binary permutations, and the table of node-grain schedules by name.

#include "kallima/butterfly.hpp"

#include <algorithm>
#include <ranges>

#include "base/bits.hpp"
#include "base/check.hpp"

namespace kallima {
namespace {

constexpr std::pair<const char*, const char*> schedules[] = {
    // by NodeSchedule
    {"all-cyclic", "rows dealt out cyclically in all columns: n log P messages"},
    {"all-blocked", "rows dealt out in blocks in all columns: n log P messages"},
    {"simple", "two phases, column by column; sends after phase I, to i+1, i+2, ..."},
    {"bad-order", "as simple, but everybody sends to 0, then to 1, ..."},
    {"output-driven", "phase I makes outputs one by one and sends them at once (Sahay)"},
    {"identity-order", "as output-driven, but all processors make output 0 first"},
    {"block-output-driven", "as output-driven, with one long message per processor"},
};

}  // namespace

bool has_two_phases(NodeSchedule schedule) {
  return schedule != NodeSchedule::all_cyclic && schedule != NodeSchedule::all_blocked;
}

bool ranks_alike(NodeSchedule schedule) {
  return schedule != NodeSchedule::simple && schedule != NodeSchedule::bad_order &&
         schedule != NodeSchedule::identity_order;
}

std::vector<std::pair<std::string, std::string>> node_schedule_names() {
  return {std::begin(schedules), std::end(schedules)};
}

NodeSchedule node_schedule_named(const std::string& wanted) {
  const auto found = std::ranges::find_if(schedules, [&](const auto& row) { return row.first == wanted; });
  require(found != std::end(schedules), "there is no schedule '{}' of single nodes: use one of {}", wanted,
          fmt::join(schedules | std::views::keys, ", "));
  return static_cast<NodeSchedule>(found - schedules);
}

std::string name(NodeSchedule schedule) { return schedules[static_cast<int>(schedule)].first; }

// In each block of neighbours that a node of the tree stands for, the two halves differ in the bit it decides, and it
// is the same throughout a half. No value that is there twice would pass.
bool BinaryPermutation::is_binary(std::span<const int> values) {
  const auto size = static_cast<int>(values.size());
  if (!power_of_two(size)) return false;
  for (int j = 0; j < size; ++j) {
    if (values[at(j)] < 0 || values[at(j)] >= size) return false;
    for (int half = 1; half < size; half *= 2)
      if (((values[at(j)] ^ values[at(j & -2 * half)] ^ j) & half) != 0) return false;
  }
  return true;
}

BinaryPermutation::BinaryPermutation(std::vector<int> values) : values_(std::move(values)) {
  require(is_binary(values_), "({}) is not a binary permutation: each subtree's leaves must stand together",
          fmt::join(values_, " "));
}

BinaryPermutation BinaryPermutation::sigma(int processors, int rank) { return pi(processors, processors, rank); }

BinaryPermutation BinaryPermutation::pi(int processors, int outputs, int rank) {
  const int length = outputs / processors;
  std::vector<int> values;
  for (int j = 0; j < processors * length; ++j)
    values.push_back(((processors - 1 - rank) ^ (j / length)) * length + j % length);
  return BinaryPermutation(std::move(values));
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
