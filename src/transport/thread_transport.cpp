// Ranks as threads of this process: the embedded default, with no launcher and no MPI. Rank 0 runs on the caller's own
// thread. Nothing is ever copied among threads: a receive is given a view of the sender's own block, and the sender may
// go on once the view was given back. An exception that leaves one rank's body wakes the others and is thrown again by
// run_threads.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kallima/comm.hpp"
#include "transport/requests.hpp"
#include "transport/thread_world.hpp"

namespace kallima {
namespace {

// While a rank unwinds, others may still be reading its memory: the world then keeps it until all have ended.
class ThreadMemory final : public SharedMemory {
 public:
  ThreadMemory(std::shared_ptr<ThreadWorld> world, Array<std::byte> memory)
      : world_(std::move(world)), memory_(std::move(memory)) {}
  ~ThreadMemory() override {
    const bool trouble = std::uncaught_exceptions() > 0 || world_->failure->happened();
    if (trouble && world_->size > 1) world_->keep(std::move(memory_));
  }
  std::span<std::byte> bytes() override { return memory_.span(); }

 private:
  std::shared_ptr<ThreadWorld> world_;
  Array<std::byte> memory_;
};

// One rank. It belongs to its thread; what ranks share is in ThreadWorld.
class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadWorld> world, int rank, std::uint64_t number = 0)
      : world_(std::move(world)), seat_(world_->seats[at(rank)]), rank_(rank), number_(number) {}

  std::string name() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return world_->size; }
  bool sees(int) const override { return true; }
  bool one_process() const override { return true; }
  DeviceBlocks device_blocks() const override { return DeviceBlocks::by_address; }
  bool survives_exceptions() const override { return true; }
  void give_up() noexcept override {
    if (size() > 1) world_->failure->record(rank_, outcome_of([] { throw; }));
  }

  void reserve(std::size_t requests) override {
    requests_.reserve(requests);
    seat_.spare.reserve(requests);
    while (seat_.messages.size() < requests) seat_.spare.push_back(&seat_.messages.emplace_back());
  }

  Request post_send(int peer, int tag, std::span<const std::byte> block) override {
    check_peer(*this, peer);
    Message* message = blank_message();
    message->data = block.data();
    message->sender = rank_;
    message->tag = tag;
    world_->send(peer, message);
    idle_rounds_ = 0;
    return requests_.add({true, peer, message});
  }

  Request post_recv(int peer, int tag, std::span<std::byte>) override {
    check_peer(*this, peer);
    const Request request = requests_.add({false, peer, nullptr});
    requests_.at(request).message = matcher_.receive(peer, tag, request).value_or(nullptr);
    idle_rounds_ = 0;
    return request;
  }

  bool test(Request request) override {
    const Posted& row = requests_.at(request);
    if (is_over(row)) return true;
    world_->failure->check();
    if (world_->failure->first_to_leave() >= 0 && world_->failure->has_left(row.peer)) {
      if (is_over(row)) return true;  // the last it did
      world_->failure->miss(row.peer);
    }
    return false;
  }

  const std::byte* data(Request received) const override {
    const Posted& row = requests_.at(received);
    require(!row.is_send && row.message != nullptr, "request {} has no data (it is no finished receive)", received);
    return row.message->data;
  }

  void release(Request request) override {
    const Posted row = requests_.at(request);
    if (row.is_send) {
      require(row.message->released.load(std::memory_order_acquire), "send {} is released before it is over", request);
      seat_.spare.push_back(row.message);
    } else {
      require(row.message != nullptr, "receive {} is released before it is over", request);
      const auto sender = at(row.message->sender);
      row.message->released.store(true, std::memory_order_release);  // from here on the node is the sender's again
      world_->seats[sender].bell.ring();
    }
    requests_.remove(request);
  }

  void progress() override {
    for (Message* message = world_->take_inbox(rank_); message != nullptr;) {
      Message* const next = message->next;
      const auto request = matcher_.arrive(message->sender, message->tag, message);
      if (request) requests_.at(*request).message = message;
      message = next;
    }
  }

  void idle() override {
    world_->failure->check();
    const auto events = seat_.bell.events();
    if (events != events_seen_) {
      events_seen_ = events;
      idle_rounds_ = 0;
      return;
    }
    ++idle_rounds_;
    const int spins = world_->spins / 4;
    if (idle_rounds_ <= spins) return;
    if (idle_rounds_ <= spins + 50) return std::this_thread::yield();
    if ((idle_rounds_ - spins) % (long_wait / Bell::nap) == 0) world_->failure->compare(rank_);
    seat_.bell.sleep(events_seen_);
  }

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override {
    std::unique_ptr<SharedMemory> memory;
    together(*this,
             [&] { memory = std::make_unique<ThreadMemory>(world_, Array<std::byte>(static_cast<Index>(bytes))); });
    return memory;
  }

  std::uint64_t announce(const Call& call) override { return world_->failure->announce(rank_, call); }

  std::unique_ptr<Transport> duplicate() override {
    static const std::string* const call = call_name("duplicating the communicator");
    if (rank_ == 0) world_->offspring = std::make_shared<ThreadWorld>(size(), world_->failure);
    const std::uint64_t number = meet(call);
    auto copy = std::make_unique<ThreadTransport>(world_->offspring, rank_, number);
    meet(call);
    if (rank_ == 0) world_->offspring.reset();
    return copy;
  }

  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    static const std::string* const call = call_name("a gather on the communicator");
    const std::size_t turn = meetings_ % 2;
    seat_.contributions[turn].assign(mine.begin(), mine.end());
    meet(call);
    for (const Seat& seat : world_->seats)
      require(seat.contributions[turn].size() * world_->seats.size() == all.size(),
              "cannot gather {} bytes from each of {} ranks into {} bytes", seat.contributions[turn].size(), size(),
              all.size());
    std::byte* to = all.data();
    for (const Seat& seat : world_->seats)
      to = std::copy(seat.contributions[turn].begin(), seat.contributions[turn].end(), to);
  }

  void barrier() override {
    static const std::string* const call = call_name("a barrier on the communicator");
    meet(call);
  }
  [[noreturn]] void abort(const std::string& why) noexcept override {
    std::fprintf(stderr, "kallima: rank %d: %s\n", rank_, why.c_str());
    std::fflush(nullptr);
    std::_Exit(1);
  }

 private:
  struct Posted {
    bool is_send = false;
    int peer = 0;
    Message* message = nullptr;  // of a receive: none until one arrives
  };

  // All must meet for the same. Returns the number of this step.
  std::uint64_t meet(const std::string* what) {
    const std::size_t turn = meetings_++ % 2;
    const std::uint64_t number = announce({what, number_, what});
    const Call mine = seat_.steps[turn] = world_->failure->call(rank_, number);
    world_->meeting.attend(*world_->failure, rank_, world_->spins);
    for (int r = 0; r < size(); ++r)
      if (const Call& theirs = world_->seats[at(r)].steps[turn]; theirs.what != mine.what)
        fail("{}", difference(rank_, text(mine), r, text(theirs)));
    return number;
  }

  bool is_over(const Posted& row) {
    if (row.is_send) return row.message->released.load(std::memory_order_acquire);
    if (row.message == nullptr) progress();
    return row.message != nullptr;
  }

  Message* blank_message() {
    if (seat_.spare.empty()) return &seat_.messages.emplace_back();
    Message* message = seat_.spare.back();
    seat_.spare.pop_back();
    message->released.store(false, std::memory_order_relaxed);
    return message;
  }

  std::shared_ptr<ThreadWorld> world_;
  Seat& seat_;
  int rank_;
  std::uint64_t number_;  // of the step that made it
  RequestTable<Posted> requests_;
  Matcher<Message*> matcher_;
  std::uint64_t events_seen_ = 0;
  int idle_rounds_ = 0;
  std::size_t meetings_ = 0;
};

void run_rank(const std::shared_ptr<ThreadWorld>& world, int rank, const std::function<void(Comm)>& body) {
  const Outcome outcome = outcome_of([&] { body(Comm(std::make_shared<ThreadTransport>(world, rank))); });
  if (outcome.error) world->failure->record(rank, outcome);
  world->failure->leave(rank);
}

std::vector<std::thread> start_ranks(const std::shared_ptr<ThreadWorld>& world, const std::function<void(Comm)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(at(world->size));
  try {
    for (int rank = 1; rank < world->size; ++rank) threads.emplace_back([&, rank] { run_rank(world, rank, body); });
  } catch (const std::exception& e) {
    world->failure->record(0, outcome_of([&] {
                             fail("cannot start {} threads (the system gave {}: {}) ask for fewer ranks", world->size,
                                  threads.size() + 1, e.what());
                           }));
  }
  return threads;
}

}  // namespace

Comm::Comm() : transport_(std::make_shared<ThreadTransport>(std::make_shared<ThreadWorld>(1), 0)) {}

Comm::Comm(std::shared_ptr<Transport> transport) : transport_(std::move(transport)) {
  require(transport_ != nullptr, "a Comm needs a transport (this one is none): use run_threads() or mpi_comm()");
}

void run_threads(int ranks, const std::function<void(Comm)>& body) {
  require(ranks >= 1, "cannot run {} ranks (at least one is needed)", ranks);
  const auto world = std::make_shared<ThreadWorld>(ranks);
  auto threads = start_ranks(world, body);
  if (threads.size() + 1 == at(ranks)) run_rank(world, 0, body);
  for (auto& thread : threads) thread.join();
  world->failure->rethrow();
}

}  // namespace kallima
