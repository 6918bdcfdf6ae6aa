#pragma once
// The models of a machine, side by side: for each a name, a source and a list of named numbers, from which text, JSON
// and help are made.

#include <array>
#include <string_view>
#include <variant>

#include "kallima/machine.hpp"

namespace kallima {

template <class M>
struct Field {
  std::string_view key;
  std::string_view meaning;
  std::variant<double M::*, int M::*> member;
};

template <class M, std::size_t count>
struct Model {
  std::string_view name;
  std::string_view source;
  std::array<Field<M>, count> fields;
};

inline constexpr std::string_view latency = "upper bound of the latency, time";
inline constexpr std::string_view overhead = "overhead of sending and of receiving, time";
inline constexpr std::string_view gap = "gap between sends and between receives, time";
inline constexpr std::string_view procs = "processors; 0: any number";
inline constexpr std::string_view rate = "floating point operations per unit of time";
inline constexpr std::string_view memory = "bytes through memory per unit of time; 0: memory costs nothing";

template <class M>
inline constexpr int model = 0;  // none, but for these

template <>
inline constexpr Model<AlphaBeta, 4> model<AlphaBeta>{"alphabeta",
                                                      "Solomonik, Distributed-memory models and algorithms, 2015",
                                                      {{{"alpha", "time per message", &AlphaBeta::alpha},
                                                        {"beta", "time per word", &AlphaBeta::beta},
                                                        {"r", rate, &AlphaBeta::r},
                                                        {"m", memory, &AlphaBeta::m}}}};
template <>
inline constexpr Model<Logp, 6> model<Logp>{
    "logp",
    "Culler et al., LogP: towards a realistic model of parallel computation, 1993",
    {{{"L", latency, &Logp::L},
      {"o", overhead, &Logp::o},
      {"g", gap, &Logp::g},
      {"P", procs, &Logp::P},
      {"r", rate, &Logp::r},
      {"m", memory, &Logp::m}}}};
template <>
inline constexpr Model<Loggp, 7> model<Loggp>{
    "loggp",
    "Alexandrov et al., LogGP: incorporating long messages into the LogP model, 1995",
    {{{"L", latency, &Loggp::L},
      {"o", overhead, &Loggp::o},
      {"g", gap, &Loggp::g},
      {"G", "gap per word of a long message, time", &Loggp::G},
      {"P", procs, &Loggp::P},
      {"r", rate, &Loggp::r},
      {"m", memory, &Loggp::m}}}};
template <>
inline constexpr Model<Bsp, 4> model<Bsp>{
    "bsp",
    "Valiant, A bridging model for parallel computation, 1990; units as in Bisseling, "
    "Parallel Scientific Computation",
    {{{"r", rate, &Bsp::r},
      {"g", "operations per real word sent or received", &Bsp::g},
      {"l", "operations per synchronisation", &Bsp::l},
      {"m", memory, &Bsp::m}}}};

}  // namespace kallima
