#include "simulate/foresight.hpp"

#include <algorithm>

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

// Tasks that take no time pass on what set them off, so they are looked through.
Foresight foresee(const Script& script, const WorkCost& cost) {
  Foresight it{.first_dependent = static_cast<int>(script.size())};
  std::vector<bool> seen(script.size());
  std::vector<int> pending;
  for (int task = 0; at(task) < script.size(); ++task)
    if (script[task].kind == TaskKind::recv_finish) pending.push_back(task);
  while (!pending.empty()) {
    const int task = pending.back();
    pending.pop_back();
    for (const int follower : script.followers(task)) {
      if (seen[at(follower)]) continue;
      seen[at(follower)] = true;
      const TaskKind kind = script[follower].kind;
      const bool computes = kind == TaskKind::compute || kind == TaskKind::copy;
      if (!computes) it.prompt_receives = true;
      it.first_dependent = std::min(it.first_dependent, follower);
      if (computes && cost.flops(script[follower]) == 0) pending.push_back(follower);
    }
  }
  return it;
}

}  // namespace kallima
