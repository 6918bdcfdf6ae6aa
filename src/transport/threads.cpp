// Ranks as threads of this process: the embedded default, with no launcher and no MPI. Rank 0 runs on the caller's own
// thread. An exception that leaves one rank's body wakes the others and is thrown again by run_threads.

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "kallima/comm.hpp"
#include "transport/thread_transport.hpp"

namespace kallima {
namespace {

void run_rank(const std::shared_ptr<ThreadWorld>& world, int rank, const std::function<void(Comm)>& body) {
  try {
    body(Comm(std::make_shared<ThreadTransport>(world, rank)));
  } catch (const std::exception& e) {
    world->failure->record(std::current_exception(), e.what());
  } catch (...) {
    world->failure->record(std::current_exception(), "an exception that is not a std::exception");
  }
}

std::vector<std::thread> start_ranks(const std::shared_ptr<ThreadWorld>& world, const std::function<void(Comm)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(world->size));
  try {
    for (int rank = 1; rank < world->size; ++rank) threads.emplace_back([&, rank] { run_rank(world, rank, body); });
  } catch (const std::system_error& e) {
    const auto text = fmt::format("cannot start {} threads (the system gave {}: {}) ask for fewer ranks", world->size,
                                  threads.size() + 1, e.what());
    world->failure->record(std::make_exception_ptr(Error(text)), text);
  }
  return threads;
}

}  // namespace

Comm::Comm()
    : transport_(std::make_shared<ThreadTransport>(std::make_shared<ThreadWorld>(1, std::make_shared<Failure>()), 0)) {}

void run_threads(int ranks, const std::function<void(Comm)>& body) {
  require(ranks >= 1, "cannot run {} ranks (at least one is needed)", ranks);
  const auto world = std::make_shared<ThreadWorld>(ranks, std::make_shared<Failure>());
  auto threads = start_ranks(world, body);
  const bool complete = threads.size() + 1 == static_cast<std::size_t>(ranks);
  if (complete) run_rank(world, 0, body);
  for (auto& thread : threads) thread.join();
  world->failure->rethrow();
}

}  // namespace kallima
