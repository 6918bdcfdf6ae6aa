#include "kallima/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "base/text.hpp"
#include "machine/network.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

struct PairField {
  const char* key;
  Measured90 PairRates::*member;
};
constexpr std::array pair_fields{PairField{"L", &PairRates::L},           PairField{"o_s", &PairRates::o_send},
                                 PairField{"o_r", &PairRates::o_receive}, PairField{"g", &PairRates::g},
                                 PairField{"G", &PairRates::G},           PairField{"O", &PairRates::O},
                                 PairField{"alpha", &PairRates::alpha},   PairField{"beta", &PairRates::beta},
                                 PairField{"bsp_g", &PairRates::bsp_g},   PairField{"bsp_l", &PairRates::bsp_l}};

Json json_of(const PairRates& pair) {
  Json all{{"between", name(pair.joined)}, {"bsp_r", pair.bsp_r}};
  for (const PairField& field : pair_fields)
    all[field.key] = {{"value", (pair.*field.member).value}, {"relative error", (pair.*field.member).error}};
  all["all-to-all, bytes of a block and bytes/s"] = pair.all_to_all;
  return all;
}

PairRates pair_of(const Json& json) {
  PairRates pair;
  const std::string between = json.at("between");
  constexpr std::array all{Joined::threads, Joined::views, Joined::node, Joined::hosts};
  const auto found = std::ranges::find_if(all, [&](Joined j) { return name(j) == between; });
  require(found != all.end(), "'{}' is no way in which ranks are joined: it is threads, views, node or hosts", between);
  pair.joined = *found;
  pair.bsp_r = json.at("bsp_r");
  for (const PairField& field : pair_fields) {
    if (field.member == &PairRates::O && !json.contains(field.key)) continue;  // of an earlier version
    const Json& it = json.at(field.key);
    pair.*field.member = {it.at("value"), it.at("relative error")};
    require((pair.*field.member).value >= 0, "{}={} between {} makes no sense", field.key, (pair.*field.member).value,
            between);
  }
  pair.all_to_all = json.at("all-to-all, bytes of a block and bytes/s");
  return pair;
}

Loggp loggp_of(const PairRates& pair) {
  const double o = (pair.o_send.value + pair.o_receive.value) / 2;
  return {.L = pair.L.value, .o = o, .g = pair.g.value, .G = pair.G.value, .O = pair.O.value};
}

}  // namespace

std::string_view name(Joined joined) { return word_for(joined, {"threads", "views", "node", "hosts"}); }

const PairRates* Profile::find(Joined joined) const {
  const auto found = std::ranges::find(pairs, joined, &PairRates::joined);
  return found == pairs.end() ? nullptr : &*found;
}

// A machine that was not calibrated has its own node level and network.
Machine machine_for(const Profile& profile, Joined inside, int per_node, int ranks, Landing landing) {
  Machine machine = profile.machine;
  const bool one_node = ranks <= per_node;
  machine.node.ranks = std::max(1, per_node);
  machine.topology = part_for(machine.topology, (ranks + machine.node.ranks - 1) / machine.node.ranks);
  if (profile.pairs.empty()) return machine;
  const PairRates* near = profile.find(inside);
  for (const Joined other : {Joined::views, Joined::threads, Joined::node})
    if (near == nullptr) near = profile.find(other);
  const PairRates* far = profile.find(Joined::hosts);
  if (near == nullptr) near = far;
  if (far == nullptr) far = near;
  Loggp model = loggp_of(*far), node = loggp_of(*near);
  if (inside == Joined::threads || inside == Joined::views) node.G = 0;
  if (node.G == 0 && landing == Landing::none) node.O = 0;
  if (node.G == 0 && landing == Landing::copied && profile.find(Joined::threads) != nullptr)
    node.O = profile.find(Joined::threads)->O.value;  // who sees the block copies it as a thread does
  model.r = node.r = flop_rate(profile.machine);
  machine.word_bytes = 1;
  machine.model = one_node ? node : model;
  if (one_node) {
    machine.node = {};
    machine.topology = {};
    return machine;
  }
  machine.node.L = node.L;
  machine.node.o = node.o;
  machine.node.g = node.g;
  machine.node.G = node.G;
  machine.node.O = node.O;
  return machine;
}

void add_missing(Profile& all, const Profile& before) {
  for (const PairRates& pair : before.pairs)
    if (all.find(pair.joined) == nullptr) all.pairs.push_back(pair);
  std::ranges::stable_sort(all.pairs, {}, &PairRates::joined);
  const std::vector<Correction> found = all.rates.corrections;
  for (const Correction& c : before.rates.corrections)
    if (std::ranges::none_of(found, [&](const Correction& it) { return alike(it, c); }))
      all.rates.corrections.push_back(c);
}

std::string to_json(const Profile& profile) {
  Json all = Json::parse(to_json(profile.machine));
  all["calibrated"] = {{"processor", profile.processor},
                       {"host", profile.host},
                       {"library", profile.library},
                       {"when", profile.when},
                       {"share of the processor", profile.processor_share},
                       {"hosts share cores", profile.hosts_share_cores}};
  all["pairs"] = Json::array();
  for (const PairRates& pair : profile.pairs) all["pairs"].push_back(json_of(pair));
  if (!profile.rates.passes.empty()) all["rates"] = Json::parse(to_json(profile.rates));
  return all.dump(1) + "\n";
}

Profile profile_from_json(const std::string& json) {
  try {
    const Json all = Json::parse(json);
    Profile profile{.machine = machine_from_json(json)};
    if (all.contains("rates")) profile.rates = rates_from_json(all.at("rates").dump());
    for (const Json& pair : all.value("pairs", Json::array())) profile.pairs.push_back(pair_of(pair));
    const Json about = all.value("calibrated", Json::object());
    profile.processor = about.value("processor", "");
    profile.host = about.value("host", "");
    profile.library = about.value("library", "");
    profile.when = about.value("when", "");
    profile.processor_share = about.value("share of the processor", 1.0);
    profile.hosts_share_cores = about.value("hosts share cores", false);
    return profile;
  } catch (const Json::exception& error) {
    fail("this is not the profile of a machine: {}", error.what());
  }
}

}  // namespace kallima
