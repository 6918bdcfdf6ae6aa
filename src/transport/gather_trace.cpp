// Bringing together what each rank recorded. Events travel as JSON text: it is done once, after the run. Each rank
// takes its events to rank 0's clock before it sends them.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "transport/clocks.hpp"
#include "transport/requests.hpp"

namespace kallima {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Event, rank, task, kind, label, chunk, peer, begin, end, elements, start, tag, polls,
                                   polling, longest_gap, in_place)

namespace {

using nlohmann::json;

constexpr int questions = 6;      // the first ones find the other rank asleep
constexpr int clock_tag = 32767;  // the last that every MPI has

void send(Transport& transport, int peer, const double& value) {
  const Request request = transport.post_send(peer, clock_tag, std::as_bytes(std::span(&value, 1)));
  wait_for(transport, request);
  transport.release(request);
}

double receive(Transport& transport, int peer) {
  double landing = 0;
  const Request request = transport.post_recv(peer, clock_tag, std::as_writable_bytes(std::span(&landing, 1)));
  wait_for(transport, request);
  const double value = *reinterpret_cast<const double*>(transport.data(request));
  transport.release(request);
  return value;
}

ClockOffset ask(Transport& transport, int peer, const ReadClock& clock) {
  ClockOffset best{.ahead = 0, .error = std::numeric_limits<double>::infinity()};
  for (int i = 0; i < questions; ++i) {
    const double asked = clock();
    send(transport, peer, asked);
    const double theirs = receive(transport, peer);
    const double answered = clock();
    const double error = (answered - asked) / 2;
    if (error < best.error) best = {.ahead = theirs - (asked + answered) / 2, .error = error};
  }
  if (std::abs(best.ahead) <= best.error) best.ahead = 0;
  return best;
}

void answer(Transport& transport, const ReadClock& clock) {
  for (int i = 0; i < questions; ++i) {
    receive(transport, 0);
    send(transport, 0, clock());
  }
}

void put_back(Trace& trace, double seconds) {
  for (Event& e : trace.events) {
    e.begin -= seconds;
    e.end -= seconds;
  }
}

std::string to_text(Trace trace, double ahead) {
  put_back(trace, ahead);
  return json{{"events", trace.events}, {"settings", trace.settings}, {"element_bytes", trace.element_bytes}}.dump();
}

void append(Trace& trace, const json& mine) {
  if (trace.settings.empty()) trace.settings = mine["settings"];
  trace.element_bytes = std::max(trace.element_bytes, mine["element_bytes"].get<Index>());
  for (const json& event : mine["events"]) trace.events.push_back(event);
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<ClockOffset> clock_offsets(Transport& transport, const ReadClock& clock) {
  const auto ranks = at(transport.size());
  std::vector<ClockOffset> mine(ranks), all(ranks * ranks);
  transport.barrier();
  if (transport.rank() != 0) answer(transport, clock);
  if (transport.rank() == 0)
    for (std::size_t r = 1; r < ranks; ++r) mine[r] = ask(transport, static_cast<int>(r), clock);
  transport.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  all.resize(ranks);  // rank 0's
  return all;
}

Trace gather(const Comm& comm, const Trace& mine) { return gather(comm, mine, steady_seconds); }

Trace gather(const Comm& comm, const Trace& mine, const ReadClock& clock) {
  static const std::string* const call = call_name("gathering a trace");
  comm.transport().announce({call});
  Trace all{.ranks = comm.size(), .events = {}};
  const std::vector<ClockOffset> offsets = clock_offsets(comm.transport(), clock);
  const double ahead = offsets[at(comm.rank())].ahead;
  for (const std::string& text : gathered(comm.transport(), to_text(mine, ahead))) append(all, json::parse(text));
  const double error = std::ranges::max(offsets, {}, &ClockOffset::error).error;
  all.settings.emplace_back("clock error", fmt::format("{:.1f} us", 1e6 * error));
  if (!all.events.empty()) put_back(all, std::ranges::min(all.events, {}, &Event::begin).begin);
  return all;
}

}  // namespace kallima
