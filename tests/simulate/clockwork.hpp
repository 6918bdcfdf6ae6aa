#pragma once
// The simulator's conventions once more, as slowly and plainly as possible: a clock that ticks in whole units, and at
// every tick everybody does what the rules allow. LogP with whole numbers and messages of one word, full latency.

#include <algorithm>
#include <set>
#include <tuple>

#include "kallima/simulate.hpp"

namespace kallima {

class Clockwork {
 public:
  struct Result {
    double last_send = 0;
    double completion = 0;
    double idle_max = 0;
  };

  Clockwork(const Outline& outline, const Logp& machine, bool limited)
      : outline_(outline), machine_(machine), capacity_(limited ? capacity(machine) : Index{1} << 60) {
    ranks_.resize(static_cast<std::size_t>(outline.ranks));
    for (int r = 0; r < outline.ranks; ++r)
      for (std::size_t i = 0; i < outline.script(r).size(); ++i)
        rank(r).unmet.push_back(static_cast<int>(outline.script(r).after(static_cast<int>(i)).size()));
  }

  Result run() {
    for (int r = 0; r < outline_.ranks; ++r)
      for (std::size_t i = 0; i < rank(r).unmet.size(); ++i)
        if (outline_.script(r).after(static_cast<int>(i)).empty()) ready(r, static_cast<int>(i));
    for (now_ = 0; left() && now_ < 1000000; ++now_) tick();
    for (const Rank& r : ranks_) result_.idle_max = std::max(result_.idle_max, r.finish - r.busy);
    for (const Rank& r : ranks_) result_.completion = std::max(result_.completion, r.finish);
    return result_;
  }

 private:
  struct Rank {
    std::vector<int> unmet;
    std::set<int> computable;
    std::vector<int> outgoing;
    std::set<std::tuple<double, int, int>> inbox;  // arrival, sender, task
    int running = -1;
    double until = 0;
    double last_send = -1e9;
    double last_take = -1e9;
    double busy = 0;
    double finish = 0;
    std::size_t done = 0;
    Index coming = 0;
    double refused_since = -1;
    bool promised = false;
    std::set<std::pair<double, int>> refused;  // since when, who
  };

  Rank& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  const OutlineTask& task(int r, int id) const { return outline_.script(r)[id]; }

  bool left() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& r) { return r.done < r.unmet.size(); });
  }

  void tick() {
    for (int r = 0; r < outline_.ranks; ++r) end(r);
    while (messages()) {
    }
    for (int r = 0; r < outline_.ranks; ++r) compute(r);
  }

  void end(int r) {
    Rank& me = rank(r);
    if (me.running < 0 || me.until > now_) return;
    const int task = me.running;
    me.running = -1;
    done(r, task);
  }

  bool messages() {
    bool any = false;
    std::vector<std::pair<double, int>> senders;
    for (int r = 0; r < outline_.ranks; ++r)
      if (may_send(r)) {
        if (rank(r).refused_since < 0) rank(r).refused_since = now_;
        senders.emplace_back(rank(r).refused_since, r);
      }
    std::sort(senders.begin(), senders.end());
    for (const auto& [since, r] : senders) any = send(r) || any;
    for (int r = 0; r < outline_.ranks; ++r) any = take(r) || any;
    return any;
  }

  bool free(int r) const { return ranks_[static_cast<std::size_t>(r)].running < 0; }

  bool may_send(int r) {
    const Rank& me = rank(r);
    return !me.outgoing.empty() && now_ >= me.last_send + machine_.g && (machine_.o == 0 || free(r));
  }

  bool send(int r) {
    Rank& me = rank(r);
    const int id = me.outgoing.front();
    const int to = outline_.peer_of(r, task(r, id).peer);
    if (!me.promised && rank(to).coming >= capacity_) {
      rank(to).refused.insert({me.refused_since, r});
      return false;
    }
    if (!me.promised) ++rank(to).coming;
    me.promised = false;
    me.refused_since = -1;
    me.outgoing.erase(me.outgoing.begin());
    me.last_send = now_;
    result_.last_send = now_;
    rank(to).inbox.insert({now_ + machine_.o + machine_.L, r, task(r, id).match});
    spend(r, id);
    return true;
  }

  bool take(int r) {
    Rank& me = rank(r);
    if (me.inbox.empty() || (machine_.o > 0 && (!free(r) || may_send_now(r)))) return false;
    const auto [arrival, sender, id] = *me.inbox.begin();
    if (arrival > now_ || now_ < me.last_take + machine_.g) return false;
    me.inbox.erase(me.inbox.begin());
    me.last_take = now_;
    if (me.refused.empty()) {
      --me.coming;
    } else {  // the place goes to whoever was refused first
      rank(me.refused.begin()->second).promised = true;
      me.refused.erase(me.refused.begin());
    }
    spend(r, id);
    return true;
  }

  bool may_send_now(int r) {
    return may_send(r) &&
           (rank(r).promised || rank(outline_.peer_of(r, task(r, rank(r).outgoing.front()).peer)).coming < capacity_);
  }

  void spend(int r, int id) {
    if (machine_.o == 0) return done(r, id);
    rank(r).running = id;
    rank(r).until = now_ + machine_.o;
    rank(r).busy += machine_.o;
  }

  void compute(int r) {
    Rank& me = rank(r);
    if (!free(r) || me.computable.empty()) return;
    me.running = *me.computable.begin();
    me.computable.erase(me.computable.begin());
    me.until = now_ + 1;
    me.busy += 1;
  }

  void done(int r, int id) {
    Rank& me = rank(r);
    ++me.done;
    me.finish = std::max(me.finish, now_);
    for (const int follower : outline_.script(r).followers(id))
      if (--me.unmet[static_cast<std::size_t>(follower)] == 0) ready(r, follower);
  }

  void ready(int r, int id) {
    if (task(r, id).kind == TaskKind::send_start) {
      rank(r).outgoing.push_back(id);
    } else if (task(r, id).kind == TaskKind::compute) {
      if (task(r, id).flops > 0)
        rank(r).computable.insert(id);
      else
        done(r, id);
    }
  }

  const Outline& outline_;
  const Logp machine_;
  const Index capacity_;
  std::vector<Rank> ranks_;
  double now_ = 0;
  Result result_;
};

}  // namespace kallima
