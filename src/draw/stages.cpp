// "phase II" asks for 2; any other label for its letters in turn, then for any letter that is free. When there are more
// stages than letters, the last ones share '#'.

#include "draw/stages.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace kallima {
namespace {

std::string wishes(const std::string& label) {
  static const std::map<std::string, char> numerals{{"I", '1'},  {"II", '2'},  {"III", '3'},  {"IV", '4'}, {"V", '5'},
                                                    {"VI", '6'}, {"VII", '7'}, {"VIII", '8'}, {"IX", '9'}};
  std::string all;
  const auto numeral = numerals.find(label.substr(label.rfind(' ') + 1));
  if (numeral != numerals.end()) all += numeral->second;
  for (const char c : label)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      all += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return all + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
}

}  // namespace

bool is_stage(const Event& e) { return e.task >= 0 && (e.kind == TaskKind::compute || e.kind == TaskKind::copy); }

std::string stage_label(const Event& e) { return e.label.empty() ? std::string(name(e.kind)) : e.label; }

Stages::Stages(const Trace& trace) {
  std::map<std::string, double> first;
  for (const Event& e : trace.events) {
    if (!is_stage(e)) continue;
    const auto [known, is_new] = first.try_emplace(stage_label(e), e.begin);
    known->second = std::min(known->second, e.begin);
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [word, begin] : first) order.emplace_back(begin, word);
  std::sort(order.begin(), order.end());
  std::string taken;
  for (const auto& [begin, word] : order) {
    const std::string wanted = wishes(word);
    const auto free = wanted.find_first_not_of(taken);
    all_.emplace_back(word, free == std::string::npos ? '#' : wanted[free]);
    taken += all_.back().second;
  }
}

char Stages::letter(const Event& stage) const {
  const std::string word = stage_label(stage);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& known) { return known.first == word; });
  return found == all_.end() ? '#' : found->second;
}

}  // namespace kallima
