#include "simulate/fair_share.hpp"

#include <algorithm>
#include <limits>

namespace kallima {

FairShare::FairShare(const LinkMap& links) : state_(at(links.count())) {
  for (std::int32_t link = 0; link < links.count(); ++link) {
    const double time = links.time_per_word(link);
    capacity_.push_back(time > 0 ? 1 / time : 0);
  }
}

const std::vector<double>& FairShare::rates(std::span<const std::span<const Passage>> flows) {
  used_.clear();
  rates_.assign(flows.size(), -1);
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    bool limited = false;
    for (const Passage& p : flows[flow]) {
      if (capacity_[at(p.link)] == 0) continue;
      limited = true;
      LinkState& state = state_[at(p.link)];
      if (state.flows.empty()) {
        used_.push_back(p.link);
        state.left = capacity_[at(p.link)];
        state.wanted = 0;
      }
      state.wanted += static_cast<double>(p.share);
      state.flows.push_back(static_cast<int>(flow));
    }
    if (!limited) rates_[flow] = std::numeric_limits<double>::infinity();
  }
  std::vector<std::int32_t> growing = used_;
  while (!growing.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t link : growing) least = std::min(least, state_[at(link)].left / state_[at(link)].wanted);
    for (const std::int32_t link : growing)  // equal up to rounding: all of them are full
      if (state_[at(link)].wanted > 0 && state_[at(link)].left <= least * (1 + 1e-9) * state_[at(link)].wanted)
        settle(flows, link, least);
    std::erase_if(growing, [&](std::int32_t link) { return state_[at(link)].wanted <= 1e-9; });
  }
  for (const std::int32_t link : used_) state_[at(link)].flows.clear();
  return rates_;
}

// The link is full: its flows have got what they get, and take that from the other links they pass.
void FairShare::settle(std::span<const std::span<const Passage>> flows, std::int32_t link, double rate) {
  for (const int flow : state_[at(link)].flows) {
    if (rates_[at(flow)] >= 0) continue;
    rates_[at(flow)] = rate;
    for (const Passage& p : flows[at(flow)]) {
      LinkState& state = state_[at(p.link)];
      state.wanted -= static_cast<double>(p.share);
      state.left = std::max(0.0, state.left - rate * static_cast<double>(p.share));
    }
  }
}

}  // namespace kallima
