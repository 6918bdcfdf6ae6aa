#include "plan/exchange/accesses.hpp"

#include <bit>
#include <utility>

namespace kallima {
namespace {

int bits(Index n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))); }

}  // namespace

void Accesses::note(TaskAccess access) {
  const auto [modulus, reach] = residues_of(access.region);
  const Index first = access.region.first;
  Whereabouts kind{.modulus = modulus, .reach = bits(reach)};
  if (modulus > 0) kind.length = bits(access.region.last - first), kind.place = first >> kind.length;
  groups_[kind].emplace(modulus > 0 ? first % modulus : first, std::move(access));
}

// Runs between two reals of the region are not looked at one by one, nor is it asked where they meet it that are longer
// than any way between two: blocks that a strided array takes the place of, each of them with all of its parts.
void Accesses::each_run(const Group& runs, Index longest, const Footprint& region, const Visit& visit) {
  const Index gap = longest_gap(region);
  auto a = runs.lower_bound(region.first - longest);
  while (a != runs.end() && a->first <= region.last) {
    const Footprint& run = a->second.region;
    if (run.last >= region.first && run.last - run.first + 1 >= gap && is_run(run)) {
      visit(a->second, true);
      ++a;
      continue;
    }
    const Index next = next_of(region, a->first);
    if (next <= run.last) visit(a->second, false);
    a = next - longest > a->first ? runs.lower_bound(next - longest) : std::next(a);
  }
}

void Accesses::each_stepped(const Group& group, const Whereabouts& kind, const Footprint& region, const Visit& visit) {
  if (kind.place << kind.length > region.last || (kind.place + 2) << kind.length <= region.first) return;
  const auto look = [&](Index from, Index to) {
    const auto end = group.upper_bound(to);
    for (auto a = group.lower_bound(from); a != end; ++a) visit(a->second, false);
  };
  const Residues own = residues_of(region);
  const Index modulus = kind.modulus, before = Index{1} << kind.reach;
  const bool alike = own.modulus > 0 && own.modulus % modulus == 0;
  const Index reach = alike ? own.reach : region.last - region.first;
  if (reach + before >= modulus) return look(0, modulus);
  for (const Index turn : {-modulus, Index{0}, modulus}) {
    const Index first = region.first % modulus + turn;
    look(first - before, first + reach);
  }
}

void Accesses::each_near(const Footprint& region, const Visit& visit) const {
  for (const auto& [kind, group] : groups_)
    if (kind.modulus == 0)
      each_run(group, Index{1} << kind.reach, region, visit);
    else
      each_stepped(group, kind, region, visit);
}

}  // namespace kallima
