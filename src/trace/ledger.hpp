#pragma once
// Losses as they are found, with what all of them need to be put in words.

#include "trace/losses.hpp"

namespace kallima {

class Ledger {
 public:
  explicit Ledger(const Account& account) : account_(account) {}

  void add(Cause cause, double time, const std::string& words);  // where there is any
  void add_late(double time);
  double add_unpolled(double at_most);  // and says how much of `at_most` is lost that way

  std::string text(double time) const { return time_text(time, account_.trace.unit); }
  std::string share(double time) const;                           // of the run
  std::string stage_in(const std::vector<Interval>& when) const;  // " in " and what most of it went into, or nothing
  std::vector<Loss> all() && { return std::move(losses_); }

 private:
  const Account& account_;
  std::vector<Loss> losses_;
};

}  // namespace kallima
