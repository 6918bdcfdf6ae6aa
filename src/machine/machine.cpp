// Machines as values: reading and writing them, and the few questions all models answer.

#include "kallima/machine.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "machine/model.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;
constexpr double largest = 1e100;  // so that sums of times stay finite
using Members = std::vector<std::pair<std::string, double>>;

template <class M>
double get(const M& machine, const Field<M>& field) {
  return field.member.index() == 0 ? machine.**std::get_if<0>(&field.member)
                                   : static_cast<double>(machine.**std::get_if<1>(&field.member));
}

template <class M>
void set(M& machine, const Field<M>& field, double value) {
  require(value >= 0 && value <= largest, "{}={} makes no sense for a {} machine ({}): use a number from 0 to 1e100",
          field.key, value, model<M>().name, field.meaning);
  require(field.key != "r" || value > 0, "r=0 makes no sense for a {} machine ({}): use a number above 0",
          model<M>().name, field.meaning);
  if (const auto* const integer = std::get_if<int M::*>(&field.member)) {
    require(value == std::floor(value) && value <= 1 << 30, "{}={} is not a number of processors (up to 2^30)",
            field.key, value);
    machine.** integer = static_cast<int>(value);
  } else {
    machine.*std::get<double M::*>(field.member) = value;
  }
}

template <class M>
std::string keys() {
  std::string all;
  for (const Field<M>& field : model<M>().fields) all += fmt::format("{}{}", all.empty() ? "" : ", ", field.key);
  return all;
}

template <class M>
Machine build(const Members& members) {
  M machine;
  for (const auto& [key, value] : members) {
    const auto& fields = model<M>().fields;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field<M>& f) { return f.key == key; });
    require(field != fields.end(), "a {} machine has no '{}': it has {}", model<M>().name, key, keys<M>());
    set(machine, *field, value);
  }
  return machine;
}

Machine build_named(const std::string& name, const Members& members) {
  if (name == model<AlphaBeta>().name) return build<AlphaBeta>(members);
  if (name == model<Logp>().name) return build<Logp>(members);
  if (name == model<Loggp>().name) return build<Loggp>(members);
  if (name == model<Bsp>().name) return build<Bsp>(members);
  fail("there is no machine model '{}': use alphabeta ({}), logp ({}), loggp ({}) or bsp ({})", name, keys<AlphaBeta>(),
       keys<Logp>(), keys<Loggp>(), keys<Bsp>());
}

double parse_number(const std::string& text, const std::string& key) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && end == text.data() + text.size(), "'{}' is not a number (for {})", text, key);
  return value;
}

}  // namespace

Machine machine_from_text(const std::string& text) {
  const std::size_t colon = text.find(':');
  Members members;
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string item = rest.substr(0, comma);
    rest = comma < rest.size() ? rest.substr(comma + 1) : "";
    const std::size_t equals = item.find('=');
    require(equals != std::string::npos && equals > 0, "'{}' in machine '{}' is not of the form name=number", item,
            text);
    const std::string key = item.substr(0, equals);
    for (const auto& [known, value] : members) require(known != key, "machine '{}' gives {} twice", text, key);
    members.emplace_back(key, parse_number(item.substr(equals + 1), key));
  }
  return build_named(text.substr(0, colon), members);
}

Machine machine_from_json(const std::string& json) {
  try {
    const Json all = Json::parse(json);
    Members members;
    for (const auto& [key, value] : all.at("parameters").items()) members.emplace_back(key, value.get<double>());
    return build_named(all.at("model").get<std::string>(), members);
  } catch (const Json::exception& error) {
    fail("this is not a machine: {}", error.what());
  }
}

std::string to_json(const Machine& machine) {
  return std::visit(
      [&]<class M>(const M& m) {
        Json all{{"model", model<M>().name}, {"source", model<M>().source}, {"unit of time", time_unit(machine)}};
        for (const Field<M>& field : model<M>().fields) all["parameters"][std::string(field.key)] = get(m, field);
        for (const Field<M>& field : model<M>().fields) all["meaning"][std::string(field.key)] = field.meaning;
        return all.dump(2) + "\n";
      },
      machine);
}

std::string text(const Machine& machine) {
  return std::visit(
      []<class M>(const M& m) {
        std::string all;
        static const M standard{};
        for (const Field<M>& field : model<M>().fields) {
          const bool silent = get(m, field) == get(standard, field) &&
                              (field.key == "P" || field.key == "r" || field.key == memory_key);
          if (!silent) all += fmt::format("{}{}={}", all.empty() ? "" : ",", field.key, get(m, field));
        }
        return fmt::format("{}:{}", model<M>().name, all);
      },
      machine);
}

Index capacity(const Machine& machine) {
  const auto limit = [](double L, double g) {
    return g > 0 ? std::max<Index>(1, static_cast<Index>(std::ceil(L / g))) : Index{0};
  };
  if (const auto* const logp = std::get_if<Logp>(&machine)) return limit(logp->L, logp->g);
  if (const auto* const loggp = std::get_if<Loggp>(&machine)) return limit(loggp->L, loggp->g);
  return 0;
}

double flop_rate(const Machine& machine) {
  return std::visit([](const auto& m) { return m.r; }, machine);
}

double memory_rate(const Machine& machine) {
  return std::visit([](const auto& m) { return m.m; }, machine);
}

int processors(const Machine& machine) {
  if (const auto* const logp = std::get_if<Logp>(&machine)) return logp->P;
  if (const auto* const loggp = std::get_if<Loggp>(&machine)) return loggp->P;
  return 0;
}

std::string time_unit(const Machine& machine) {
  const double rate = flop_rate(machine);
  return rate == flops_per_node ? "node" : rate == 1 ? "flop" : "s";
}

}  // namespace kallima
