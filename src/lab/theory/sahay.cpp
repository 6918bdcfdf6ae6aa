#include <algorithm>

#include "lab/theory/sahay_check.hpp"

namespace kallima::theory::sahay {

void ClaimBook::note(const Entry& entry, const CheckedClaim::Case& one) {
  auto found = std::ranges::find(claims_, entry.place, &std::pair<int, CheckedClaim>::first);
  if (found == claims_.end())
    found = claims_.insert(found, {entry.place, {entry.where, entry.printed, entry.corrected}});
  CheckedClaim& it = found->second;
  it.example = one;
  ++it.cases;
  it.printed_agrees += same(one.printed, one.simulated);
  if (!same(one.printed, one.simulated) && !it.counterexample) it.counterexample = one;
  if (!one.corrected) return;
  ++it.corrected_cases;
  it.corrected_agrees += same(*one.corrected, one.simulated);
  if (!same(*one.corrected, one.simulated) && !it.corrected_counterexample) it.corrected_counterexample = one;
}

std::vector<CheckedClaim> ClaimBook::take() {
  std::ranges::sort(claims_, {}, &std::pair<int, CheckedClaim>::first);
  std::vector<CheckedClaim> all;
  for (auto& [place, claim] : claims_) all.push_back(std::move(claim));
  return all;
}

void SizeCheck::check(const Grid& grid) {
  check_messages();
  check_permutations();
  check_outputs();
  check_increments();
  check_enabled();
  check_blocks();
  book_.note({9, "section 4.3, symmetry", "whenever i sends to j, k sends to k xor i xor j"}, here(), 1,
             runs_.is_symmetric());
  for (Index g = 1; g <= grid.max_g; ++g) {
    check_sends(g);
    check_overhead(g);
    for (const Index L : grid.latencies) check_times(g, L);
  }
}

std::vector<CheckedClaim> check_claims(const Grid& grid, const std::function<void(const std::string&)>& progress) {
  require(grid.max_n >= 4 && grid.max_P >= 2 && grid.max_g >= 1 && !grid.latencies.empty(),
          "the grid n <= {}, P <= {}, g <= {} with {} latencies is empty: use n >= 4, P >= 2, g >= 1", grid.max_n,
          grid.max_P, grid.max_g, grid.latencies.size());
  for (const Index L : grid.latencies)
    require(L >= 0 && L <= 1'000'000'000, "a latency of {} makes no sense: use 0 to 10^9", L);
  ClaimBook book;
  for (Index n = 4; n <= grid.max_n; n *= 2)
    for (Index P = 2; P <= grid.max_P && P * P <= n; P *= 2) {
      if (progress) progress(fmt::format("n = {}, P = {}", n, P));
      SizeCheck(n, P, book).check(grid);
    }
  return book.take();
}

}  // namespace kallima::theory::sahay
