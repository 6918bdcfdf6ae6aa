#pragma once
// What all models share: a name, a source, and a list of named numbers, from which text, JSON and help are made.

#include <string_view>
#include <variant>
#include <vector>

#include "kallima/machine.hpp"

namespace kallima {

inline constexpr std::string_view memory_key = "m";
inline constexpr std::string_view memory_meaning = "bytes through memory per unit of time; 0: memory costs nothing";

template <class M>
struct Field {
  std::string_view key;
  std::string_view meaning;
  std::variant<double M::*, int M::*> member;
};

template <class M>
struct Model {
  std::string_view name;
  std::string_view source;
  std::vector<Field<M>> fields;
};

template <class M>
const Model<M>& model();

template <>
const Model<AlphaBeta>& model<AlphaBeta>();
template <>
const Model<Logp>& model<Logp>();
template <>
const Model<Loggp>& model<Loggp>();
template <>
const Model<Bsp>& model<Bsp>();

}  // namespace kallima
