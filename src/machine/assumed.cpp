// What a machine's file leaves out. A cost that nobody has written down is not nothing: where times are seconds it is
// taken to be that of an ordinary machine of our time, and whoever uses the file can say which these were. Machines in
// text, and those that count nodes or operations, are the laboratory's, where what is not said costs nothing.

#include "machine/assumed.hpp"

#include <fmt/format.h>

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

constexpr double usual_latency = 2e-6, usual_overhead = 1e-6;      // seconds, between nodes
constexpr double near_latency = 1e-6, near_overhead = 4e-7;        // and inside of one
constexpr double usual_byte = 1e-10, usual_hop = 1e-7;             // 10 GB/s; a switch
constexpr double bytes_per_flop = 1, passes_of_a_copy = 2;         // of memory; it is read and written
constexpr double complex_word = 16, real_word = 8, unknown_r = 5;  // bytes; without r time is no time

class Assumer {
 public:
  explicit Assumer(Json& all) : all_(all), parameters_(all.at("parameters")), model_(all.at("model")) {}

  std::vector<std::string> run() {
    r_ = parameters_.value("r", unknown_r);
    if (!parameters_.contains("r") || r_ == unknown_r || r_ == 1) return {};
    word_ = all_.value("word_bytes", complex_word);
    assume(parameters_, "", "m", bytes_per_flop * r_);
    if (model_ == "bsp") return superstep();
    if (model_ == "alphabeta") assume(parameters_, "", "alpha", usual_latency + 2 * usual_overhead);
    if (model_ == "alphabeta") assume(parameters_, "", "beta", usual_byte * word_);
    if (model_ == "logp" || model_ == "loggp") message();
    if (model_ == "loggp") around();
    return std::move(assumed_);
  }

 private:
  std::vector<std::string> superstep() {
    assume(parameters_, "", "g", usual_byte * real_word * r_);
    assume(parameters_, "", "l", (usual_latency + 2 * usual_overhead) * r_);
    return std::move(assumed_);
  }

  void message() {
    assume(parameters_, "", "L", usual_latency);
    assume(parameters_, "", "o", usual_overhead);
    assume(parameters_, "", "g", model_ == "logp" ? usual_byte * word_ : usual_overhead);
    if (model_ == "loggp") assume(parameters_, "", "G", usual_byte * word_);
  }

  // Nodes and network. A copy inside a node passes memory twice.
  void around() {
    const double G = parameters_.value("G", 0.0), m = parameters_.value("m", 0.0);
    if (all_.contains("node")) {
      Json& node = all_["node"];
      if (node.value("cards", 0.0) > 0) assume(node, "node.", "card", G);
      if (node.value("ranks", 1.0) > 1) {
        assume(node, "node.", "L", near_latency);
        assume(node, "node.", "o", near_overhead);
        assume(node, "node.", "g", near_overhead);
        assume(node, "node.", "G", m > 0 ? passes_of_a_copy * word_ / m : G);
      }
    }
    if (!all_.contains("topology") || all_["topology"].value("kind", "crossbar") == "crossbar") return;
    assume(all_["topology"], "topology.", "G", G);
    assume(all_["topology"], "topology.", "hop", usual_hop);
  }

  void assume(Json& part, const char* prefix, const char* key, double value) {
    if (part.contains(key)) return;
    part[key] = value;
    assumed_.push_back(fmt::format("{}{}={:.3g}", prefix, key, value));
  }

  Json& all_;
  Json& parameters_;
  std::string model_;
  double r_ = unknown_r, word_ = complex_word;
  std::vector<std::string> assumed_;
};

}  // namespace

std::vector<std::string> assume_costs(Json& machine) { return Assumer(machine).run(); }

std::vector<std::string> assumed_costs(const std::string& json) {
  try {
    Json all = Json::parse(json);
    return assume_costs(all);
  } catch (const Json::exception&) {
    return {};  // machine_from_json() says what is wrong
  }
}

}  // namespace kallima
