#include "app/doctor_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kallima::cli {

namespace {

// At words, so that a sentence of many numbers stays readable in a terminal.
std::string folded(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column > 0) {
      const bool full = column + 1 + length > width;
      result += full ? '\n' : ' ';
      column = full ? 0 : column + 1;
    }
    result += text.substr(at, length);
    column += length;
    at = end + 1;
  }
  return result;
}

nlohmann::json rates_of(const Findings& f) {
  nlohmann::json rates = nlohmann::json::array();
  for (const ExchangeRate& rate : f.rates)
    rates.push_back({{"piece_bytes", rate.tuning.piece_bytes},
                     {"send_window", rate.tuning.send_window},
                     {"receive_window", rate.tuning.receive_window},
                     {"bytes_per_s", rate.bytes_per_s},
                     {"cpu_s_per_gb", rate.cpu_s_per_gb}});
  return rates;
}

nlohmann::json hidden_of(const Findings& f) {
  nlohmann::json polling = nlohmann::json::array();
  for (const Hidden& h : f.hidden_by_polling) polling.push_back({{"poll_s", h.poll_seconds}, {"share", h.share}});
  nlohmann::json hidden = {{"alone", f.hidden_alone}, {"polling", polling}, {"thread", nullptr}};
  if (f.hidden_by_thread) hidden["thread"] = *f.hidden_by_thread;
  return hidden;
}

}  // namespace

void print_diagnosis(std::FILE* to, const Diagnosis& d) {
  constexpr std::size_t width = 100;
  fmt::print(to, "{}\n\n{}\n", folded(d.found, width), folded("Kallima will: " + d.will + ".", width));
  for (const std::string& advice : d.advice) fmt::print(to, "\n{}\n", folded(advice + ".", width));
}

std::string doctor_json(const Findings& f, const Diagnosis& d, const std::string& kept_in) {
  nlohmann::json json = {{"path", name(f.path)},     {"library", f.library}, {"ranks", f.ranks},
                         {"hosts", f.hosts},         {"found", d.found},     {"will", d.will},
                         {"tuning", text(d.tuning)}, {"advice", d.advice},   {"kept_in", kept_in}};
  if (f.path == PathKind::threads || f.path == PathKind::shared_memory) json["handover_s"] = f.handover_s;
  if (f.rates.empty()) return json.dump(2);
  json.update({{"network", name(f.network)},
               {"interface", f.interface},
               {"hidden", hidden_of(f)},
               {"both_directions", d.both_directions},
               {"one_way_bytes_per_s", f.one_way_bytes_per_s},
               {"alone_bytes", f.alone_bytes},
               {"processor_share", f.processor_share},
               {"rates", rates_of(f)}});
  return json.dump(2);
}

}  // namespace kallima::cli
