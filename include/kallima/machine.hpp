#pragma once
// A Machine is a handful of numbers that say what a message costs. Four models, each a value with JSON and a one-line
// text form such as logp:L=5,o=0,g=4; a machine may also have nodes, whose ranks share network cards, and a network
// whose links messages share: loggp:L=5,o=1,g=2,G=1/node:ranks=4,cards=1,card=1/torus:shape=4x4x4,G=1. Every model has
// a rate r, floating point operations per unit of time, and may have a rate m, bytes through memory per unit of time:
// work then takes as long as the longer of its arithmetic and its way through memory, since a processor does both at
// once (the roofline of Williams et al. 2009), and packing, copying and relaying, which compute nothing, cost
// something. By default the unit of time is one node of the butterfly, five operations; give r in flop/s, m in byte/s
// and the rest in seconds, and results are seconds.

#include <type_traits>
#include <utility>
#include <variant>

#include "kallima/types.hpp"

namespace kallima {

inline constexpr double flops_per_node = 5;  // 5 n log2 n operations are n log2 n nodes

// Sending s words takes alpha + s beta, in which the sender does nothing else; one message out and one in at a time.
struct AlphaBeta {
  double alpha = 0;  // time per message
  double beta = 0;   // time per word
  double r = flops_per_node;
  double m = 0;  // 0: memory costs nothing
  bool operator==(const AlphaBeta&) const = default;
};

// Culler et al. 1993: words travel alone. A message of s words is a train of s, g apart, that costs the overhead once.
struct Logp {
  double L = 0;  // latency, time
  double o = 0;  // overhead at either end, time of the processor
  double g = 0;  // gap between sends, and between receives, time
  int P = 0;     // processors; 0: as many as the schedule has
  double r = flops_per_node;
  double m = 0;
  bool operator==(const Logp&) const = default;
};

// Alexandrov et al. 1995: long messages. Their words leave and arrive G apart. Where processors copy them, each word
// takes O of the time of either, besides the message's o (Hoefler, Schneider and Lumsdaine, LogGOPSim, 2010).
struct Loggp {
  double L = 0, o = 0, g = 0;
  double G = 0;  // gap per word of a long message, time
  double O = 0;  // overhead per word at either end, time of the processor
  int P = 0;
  double r = flops_per_node;
  double m = 0;
  bool operator==(const Loggp&) const = default;
};

// Valiant 1990, as Bisseling counts: supersteps of at most h real words out of or into a processor cost h g + l, w
// operations cost w + l; divided by r it is time. A complex word is two real ones.
struct Bsp {
  double r = 1;  // operations per unit of time
  double g = 0;  // operations per real word
  double l = 0;  // operations per synchronisation
  double m = 0;
  bool operator==(const Bsp&) const = default;
};

// Neighbouring ranks share a node: messages between them cost what is said here, those to other nodes what the model
// says, and pass through the node's network cards, of which each rank has one and each card an equal share of the
// ranks.
struct NodeLevel {
  int ranks = 1;
  int cards = 0;                             // 0: ranks do not share any
  double card = 0;                           // time per word through a card, each way
  double L = 0, o = 0, g = 0, G = 0, O = 0;  // between two ranks of the node, as in LogGP
  bool operator==(const NodeLevel&) const = default;
};

// How nodes are joined. The first extent of the shape counts what are neighbours. A torus has extents of nodes, and a
// link from each node to both of its neighbours in every dimension, which messages take dimension by dimension the
// shorter way round. A fat tree has nodes at a switch, switches at one of the next level and so on; so many nodes have
// as many links up as they have cards, divided by the tapers of the levels climbed, and messages are spread over these.
// A dragonfly has nodes at a router, routers in a group, and groups: between all groups there are links of their own,
// and what does not find room there goes through a third group.
struct Topology {
  enum class Kind { crossbar, fat_tree, torus, dragonfly };
  Kind kind = Kind::crossbar;  // every two nodes have a link of their own
  std::vector<Index> shape = {};
  std::vector<double> taper = {};  // of trees and dragonflies, level by level, from the nodes' switches on; missing: 1
  double G = 0;                    // time per word of a link
  double hop = 0;                  // time per link passed, besides the latency
  int window = 1;                  // messages of a rank under way at once
  bool operator==(const Topology&) const = default;
  Index nodes() const;  // 0: any number
};

// Where what computes is a device with memory of its own: copies from the host's arrays to it and back (a schedule's
// copy tasks of the stages "to device" and "from device") go over a bus. An engine for each direction makes them, one
// after the other, while the device computes. Without times they are copies like any other.
struct Bus {
  double up = 0;    // time per word, to the device,
  double down = 0;  // and from it
  bool operator==(const Bus&) const = default;
};

using MessageModel = std::variant<AlphaBeta, Logp, Loggp, Bsp>;

struct Machine {
  Machine() = default;
  template <class M>
  requires std::is_constructible_v<MessageModel, M> &&(!std::is_same_v<std::remove_cvref_t<M>, Machine>)Machine(M&& m)
      : model(std::forward<M>(m)) {}  // a model alone is a machine

  MessageModel model = {};
  Index word_bytes = 0;  // of the words that times per word are given for; 0: the schedule's own
  NodeLevel node = {};
  Topology topology = {};
  Bus bus = {};
  bool operator==(const Machine&) const = default;

  bool shares_links() const { return node.ranks > 1 || topology.kind != Topology::Kind::crossbar; }
};

// What one message of some words costs on a machine without supersteps; all times.
struct MessageCost {
  double send_busy = 0;  // of the sending processor
  double send_gap = 0;   // until the sender may start its next message
  double flight = 0;     // from the start of sending until it is in the receiver's inbox, at most
  double latency = 0;    // the part of `flight` that may be shorter
  double recv_busy = 0;  // of the receiving processor
  double recv_gap = 0;   // after the previous message was taken
};

MessageCost message_cost(const AlphaBeta& machine, Index words);
MessageCost message_cost(const Logp& machine, Index words);
MessageCost message_cost(const Loggp& machine, Index words);

// How many messages may be under way to one processor: max(1, ceil(L/g)); 0: no limit.
Index capacity(const Machine& machine);

double flop_rate(const Machine& machine);       // operations per unit of time
double memory_rate(const Machine& machine);     // bytes per unit of time; 0: memory costs nothing
int processors(const Machine& machine);         // 0: any number
std::string time_unit(const Machine& machine);  // "node", "flop" or "s": what r makes of the unit of time

std::string text(const Machine& machine);     // logp:L=5,o=0,g=4
std::string to_json(const Machine& machine);  // with the meaning and source of every number
// Throw Error naming what is wrong, and what there is. Costs that a file in seconds leaves out are those of an ordinary
// machine: assumed_costs() names them, as o=1e-06.
Machine machine_from_json(const std::string& json);
std::vector<std::string> assumed_costs(const std::string& json);
Machine machine_from_text(const std::string& text);

// Machines that one need not have, by name, with what each is; the profile is JSON in which every figure has its
// source. machine_from_text() takes the name: frontier, or 10gbe/torus:... to add what a machine does not have.
std::vector<std::pair<std::string, std::string>> machine_names();
bool is_machine_name(const std::string& name);
std::string machine_profile(const std::string& name);

Machine machine_with(Machine machine, const std::string& part);  // node:ranks=4,..., bus:up=... or torus:... added

}  // namespace kallima
