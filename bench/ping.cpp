#include "bench/ping.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace kallima::cli {

namespace {

constexpr int warm_up = 5, rounds = 41;

void complete(Transport& transport, Request request) {
  while (!transport.test(request)) transport.idle();
}

void send(Transport& transport, int to) {
  const std::array<std::byte, 16> word{};
  const Request request = transport.post_send(to, 0, word);
  complete(transport, request);
  transport.release(request);
}

void receive(Transport& transport, int from) {
  std::array<std::byte, 16> landing{};
  const Request request = transport.post_recv(from, 0, landing);
  complete(transport, request);
  transport.release(request);
}

double round_trip(Transport& transport) {
  const auto begin = std::chrono::steady_clock::now();
  if (transport.rank() == 0) send(transport, 1);
  receive(transport, 1 - transport.rank());
  if (transport.rank() == 1) send(transport, 0);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double half_round_trip(Transport& transport) {
  if (transport.size() < 2) return 0;
  std::vector<double> times;
  for (int i = 0; i < warm_up + rounds && transport.rank() < 2; ++i) {
    const double time = round_trip(transport);
    if (i >= warm_up) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  const double mine = times.empty() ? 0 : times[times.size() / 2] / 2;
  return gathered(transport, mine)[0];
}

}  // namespace kallima::cli
