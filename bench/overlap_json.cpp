#include "bench/overlap_json.hpp"

namespace kallima::cli {

namespace {

using nlohmann::json;

json json_of(const StageTimes& s, Index element_bytes) {
  return {{"computing_s", s.computing}, {"copying_s", s.copying}, {"posting_s", s.posting},
          {"polling_s", s.polling},     {"waiting_s", s.waiting}, {"bytes_sent", s.words_sent * element_bytes}};
}

json json_of(const RankOverlap& rank, Index element_bytes) {
  json all = json_of(rank.all, element_bytes);
  all.update({{"rank", rank.rank},
              {"arrived_s", rank.arrived},
              {"communication_s", rank.communication},
              {"exposed_s", rank.exposed},
              {"hidden_share", rank.hidden_share}});
  for (const StageTimes& s : rank.stages) all["stages"][s.stage] = json_of(s, element_bytes);
  return all;
}

}  // namespace

json overlap_json(const OverlapReport& r) {
  json all = {{"computation_s", r.computation},
              {"communication_s", r.communication},
              {"measured_alone", r.measured_alone},
              {"bound_s", r.bound},
              {"time_s", r.time},
              {"ratio", r.ratio},
              {"hidden_share", r.hidden_share ? json(*r.hidden_share) : json()},
              {"limiter", r.limiter},
              {"losses", json::array()},
              {"ranks", json::array()},
              {"settings", json::object()}};
  for (const Loss& loss : r.losses)
    all["losses"].push_back({{"cause", name(loss.cause)}, {"time_s", loss.time}, {"words", loss.text}});
  for (const RankOverlap& rank : r.ranks) all["ranks"].push_back(json_of(rank, r.element_bytes));
  for (const auto& [setting, value] : r.settings) all["settings"][setting] = value;
  return all;
}

}  // namespace kallima::cli
