// Stages have the colours of their places in the list; after the last colour the first comes again. Handling a message
// is neither computing nor idling and has a colour of its own.

#include "draw/gantt_key.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/palette.hpp"
#include "draw/stages.hpp"

namespace kallima {

std::vector<std::string> stages_of(std::span<const Trace> traces) {
  std::vector<std::string> all;
  for (const Trace& trace : traces) {
    const Stages stages(trace);
    for (const auto& [label, letter] : stages.all())
      if (std::find(all.begin(), all.end(), label) == all.end()) all.push_back(label);
  }
  return all;
}

Look work_look(int what, const std::vector<std::string>& stages) {
  if (what == overhead) return {"overhead", "handling messages"};
  const std::size_t stage = static_cast<std::size_t>(what);
  return {fmt::format("f-{}", stage_hues[stage % stage_hues.size()]), stages[stage]};
}

Look sending_look(int what) {
  return what == hidden_sending ? Look{"hidden", "network: sending, hidden behind computing"}
                                : Look{"exposed", "network: sending, processor not computing"};
}

std::vector<LegendEntry> key_entries(const std::vector<Lanes>& panels, const std::vector<std::string>& stages) {
  std::vector<LegendEntry> entries;
  const auto add = [&](const Look& look) { entries.push_back({look.tooltip, look.classes}); };
  const auto any = [&](auto occurs) { return std::any_of(panels.begin(), panels.end(), occurs); };
  for (std::size_t i = 0; i < stages.size(); ++i) add(work_look(static_cast<int>(i), stages));
  if (any([](const Lanes& l) { return l.posting > 0; })) add(work_look(overhead, stages));
  entries.push_back({"idle", "idle"});
  if (any([](const Lanes& l) { return l.hidden > 0; })) add(sending_look(hidden_sending));
  if (any([](const Lanes& l) { return l.sent > l.hidden; })) add(sending_look(exposed_sending));
  return entries;
}

}  // namespace kallima
