// Failing together. A rank that throws alone leaves the others waiting for it, so whatever may fail where ranks meet is
// run through here: a byte per rank tells how it went, and only where one failed do the texts travel, too.

#include "kallima/transport.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

void fail_if_different(const std::string& name, const std::vector<std::string>& values) {
  const auto other = std::ranges::find_if(values, [&](const auto& v) { return v != values[0]; });
  if (other == values.end()) return;
  fail("{} is not the same on every rank (rank 0 has {}, rank {} has {}): pass equal arguments on all of them", name,
       values[0], other - values.begin(), *other);
}

}  // namespace

const std::string* call_name(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard lock(mutex);
  return &*names.insert(text).first;
}

bool Transport::all_views() const {
  for (int peer = 0; peer < size(); ++peer)
    if (!sees(peer)) return false;
  return true;
}

std::vector<int> nodes_of(Transport& transport) {
  int first = 0;
  while (first != transport.rank() && !transport.sees(first)) ++first;
  return gathered(transport, first);
}

int ranks_of_a_host(Transport& transport) {
  const std::vector<std::uint64_t> hosts = gathered(transport, host_identity());
  std::map<std::uint64_t, int> counts;
  int most = 0;
  for (const std::uint64_t host : hosts) most = std::max(most, ++counts[host]);
  return most;
}

// gather() moves blocks of one size, so texts travel padded to the longest.
std::vector<std::string> gathered(Transport& transport, const std::string& mine) {
  const std::vector<std::size_t> lengths = gathered(transport, mine.size());
  const std::size_t longest = *std::ranges::max_element(lengths);
  std::string padded = mine, all(lengths.size() * longest, '\0');
  padded.resize(longest);
  transport.gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < lengths.size(); ++r) texts.push_back(all.substr(r * longest, lengths[r]));
  return texts;
}

void together(Transport& transport, const std::function<void()>& action) {
  const Outcome mine = outcome_of(action);
  const auto failed = gathered<std::uint8_t>(transport, mine.error ? 1 : 0);
  const auto first = std::ranges::find(failed, 1);
  if (first == failed.end()) return;
  const std::vector<std::string> texts = gathered(transport, mine.text);
  mine.rethrow();
  const auto rank = first - failed.begin();
  fail("rank {}: {}", rank, texts[at(rank)]);
}

void agree(Transport& transport, std::uint64_t value, const std::string& what) {
  fail_if_different(what, gathered(transport, fmt::format("{:#x}", value)));
}

// Names and values travel only where something differs.
void agree(Transport& transport, const std::vector<std::pair<std::string, std::string>>& arguments) {
  std::uint64_t mine = hash("");
  for (const auto& [name, value] : arguments) mine = hash(value, hash(name, mine));
  const auto all = gathered(transport, mine);
  if (std::ranges::all_of(all, [&](auto h) { return h == all[0]; })) return;
  const auto counts = gathered(transport, arguments.size());
  for (std::size_t i = 0; i < *std::ranges::max_element(counts); ++i) {
    const auto [name, value] = i < arguments.size() ? arguments[i] : std::pair<std::string, std::string>{"", "none"};
    const std::vector<std::string> names = gathered(transport, name);
    fail_if_different("the argument " + names[0], names);
    fail_if_different("the argument " + names[0], gathered(transport, value));
  }
}

}  // namespace kallima
