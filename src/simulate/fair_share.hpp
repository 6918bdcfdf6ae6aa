#pragma once
// Who gets how much of the links: max-min fairness. All flows grow together until a link is full; those that pass it
// stay as they are, and the others go on (Bertsekas and Gallager, Data Networks, 1992, section 6.5).

#include "simulate/links.hpp"

namespace kallima {

class FairShare {
 public:
  explicit FairShare(const LinkMap& links);

  // Words per unit of time for each flow, given by what it passes. A flow that passes nothing which takes time has an
  // infinite rate.
  const std::vector<double>& rates(std::span<const std::span<const Passage>> flows);

 private:
  struct LinkState {
    double left = 0;    // words per unit of time that nobody has
    double wanted = 0;  // shares of flows that still grow
    std::vector<int> flows = {};
  };
  void settle(std::span<const std::span<const Passage>> flows, std::int32_t link, double rate);

  std::vector<double> capacity_;    // words per unit of time; 0: no limit
  std::vector<LinkState> state_;    // by link
  std::vector<std::int32_t> used_;  // links with flows that still grow
  std::vector<double> rates_;       // negative: it still grows
};

}  // namespace kallima
