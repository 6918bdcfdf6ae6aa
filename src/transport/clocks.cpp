#include "transport/clocks.hpp"

#include <chrono>
#include <cmath>
#include <limits>

namespace kallima {
namespace {

constexpr int questions = 6;  // the first ones find the other rank asleep
constexpr int tag = 32767;    // the last that every MPI has

void finish(Transport& transport, Request request) {
  while (!transport.test(request)) transport.idle();
}

void send(Transport& transport, int peer, const double& value) {
  const Request request = transport.post_send(peer, tag, std::as_bytes(std::span(&value, 1)));
  finish(transport, request);
  transport.release(request);
}

double receive(Transport& transport, int peer) {
  double landing = 0;
  const Request request = transport.post_recv(peer, tag, std::as_writable_bytes(std::span(&landing, 1)));
  finish(transport, request);
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

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<ClockOffset> clock_offsets(Transport& transport, const ReadClock& clock) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  std::vector<ClockOffset> mine(ranks), all(ranks * ranks);
  transport.barrier();
  if (transport.rank() != 0) answer(transport, clock);
  if (transport.rank() == 0)
    for (std::size_t r = 1; r < ranks; ++r) mine[r] = ask(transport, static_cast<int>(r), clock);
  transport.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  all.resize(ranks);  // rank 0's
  return all;
}

}  // namespace kallima
