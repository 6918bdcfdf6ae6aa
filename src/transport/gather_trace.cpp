// Bringing together what each rank recorded. Events travel as JSON text: it is done once, after the run.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "kallima/comm.hpp"

namespace kallima {
namespace {

using nlohmann::json;

std::string to_text(const Trace& trace) {
  json events = json::array();
  for (const Event& e : trace.events)
    events.push_back(
        {e.rank, e.task, static_cast<int>(e.kind), e.label, e.chunk, e.peer, e.start, e.begin, e.end, e.elements});
  return events.dump();
}

void append(Trace& trace, const json& events) {
  for (const json& e : events)
    trace.events.push_back({.rank = e[0],
                            .task = e[1],
                            .kind = static_cast<TaskKind>(e[2].get<int>()),
                            .label = e[3],
                            .chunk = e[4],
                            .peer = e[5],
                            .begin = e[7],
                            .end = e[8],
                            .elements = e[9],
                            .start = e[6]});
}

std::vector<std::string> gather_texts(Transport& transport, const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  const std::size_t length = mine.size();
  std::vector<std::size_t> lengths(ranks);
  transport.gather(std::as_bytes(std::span(&length, 1)), std::as_writable_bytes(std::span(lengths)));
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::string padded = mine;
  padded.resize(longest);
  std::string all(ranks * longest, '\0');
  transport.gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks; ++r) texts.push_back(all.substr(r * longest, lengths[r]));
  return texts;
}

}  // namespace

Trace gather(const Comm& comm, const Trace& mine) {
  Trace all{.ranks = comm.size(), .events = {}};
  for (const std::string& text : gather_texts(comm.transport(), to_text(mine))) append(all, json::parse(text));
  double begin = std::numeric_limits<double>::infinity();
  for (const Event& e : all.events) begin = std::min(begin, e.begin);
  for (Event& e : all.events) {
    e.begin -= begin;
    e.end -= begin;
  }
  return all;
}

}  // namespace kallima
