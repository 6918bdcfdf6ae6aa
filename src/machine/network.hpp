#pragma once
// What a machine has besides its model, in text and JSON: nodes and the network between them.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kallima/machine.hpp"

namespace kallima {

inline constexpr double largest_number = 1e100;  // so that sums of times stay finite

// Of name:key=value,key=value the name and the rest; `whole` is what messages quote.
using NamedNumbers = std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;
NamedNumbers named_numbers(const std::string& part, const std::string& whole);

void add_network_text(Machine& machine, const std::string& part);  // node:ranks=4,... or torus:shape=4x4,...
void add_network_json(Machine& machine, const nlohmann::ordered_json& all);
void check_network(const Machine& machine);        // that its parts go together
std::string network_text(const Machine& machine);  // /node:.../torus:...; nothing where there is neither
nlohmann::ordered_json network_json(const Machine& machine);

// What a job of so many nodes has of the network: of a torus a smaller one of its own, as nearly a cube as fits.
Topology part_for(const Topology& whole, Index nodes);

}  // namespace kallima
