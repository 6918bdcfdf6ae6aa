// One rank of the MPI transport. To a neighbour on the node every block is announced by a notice: those in shared
// memory are then read where they lie, others follow in pieces. Between nodes there are only pieces. Both ends know
// from the peer alone which of the two it will be. With nothing under way progress() reads one word of shared memory;
// otherwise it adds one MPI_Testsome.

#include <sched.h>

#include <cstdio>
#include <limits>

#include "kallima/memory.hpp"
#include "kallima/mpi.hpp"
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's own
#endif
#include "transport/adopts_memory.hpp"
#include "transport/has_communicator.hpp"
#include "transport/mpi_pieces.hpp"
#include "transport/mpi_queues.hpp"
#include "transport/mpi_tuning.hpp"
#include "transport/progress_thread.hpp"
#include "transport/requests.hpp"

namespace kallima {
namespace {

constexpr std::chrono::seconds very_long_wait{10};

int largest_tag_of(MPI_Comm comm) {
  int* value = nullptr;
  int known = 0;
  check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &known), "MPI_Comm_get_attr");
  return known != 0 ? *value : 32767;
}

// What the library says of itself; a library that has no way to say so does not.
bool mpi_takes_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

void pause() {
#if defined(__aarch64__)
  asm volatile("isb");
#elif defined(__x86_64__)
  asm volatile("pause");
#endif
}

class MpiTransport final : public Transport, public AdoptsMemory, public HasCommunicator {
 public:
  // Collective. Takes `comm` over.
  MpiTransport(MPI_Comm comm, const TuningInForce& tuning, std::shared_ptr<NodeWindows> node, std::uint64_t made_in)
      : comm_(comm), tuning_(tuning), node_(std::move(node)), made_in_(made_in) {
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    const std::uint32_t number = node_->next_number();
    together(*this, [&] { node_->check_room(at(node_->size()) * NoticeQueues::bytes(node_->size())); });
    together(*this, [&] {
      if (node_->size() > 0) queues_ = std::make_unique<NoticeQueues>(node_, number);
    });
  }

  ~MpiTransport() override { defer_free(node_->group(), number_, comm_); }

  std::string name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const void* communicator() const override { return &comm_; }
  bool sees(int peer) const override { return node_->node_rank_of(peer) >= 0; }
  DeviceBlocks device_blocks() const override {
    return mpi_takes_device_memory() ? DeviceBlocks::by_messages : DeviceBlocks::none;
  }
  bool survives_exceptions() const override { return size_ == 1; }
  Tuning tuning() const override { return tuning_.tuning; }
  std::string tuning_from() const override { return tuning_.from; }
  void retune(const Tuning& tuning, const std::string& from) override {
    const ProgressBy progress = tuning_.tuning.progress;
    tuning_ = {tuning, from};
    tuning_.tuning.progress = progress;
    pieces_.retune(tuning_.tuning);
  }

  void reserve(std::size_t requests) override { rows_.reserve(requests); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override {
    check_post(peer, tag);
    const Request request = rows_.add({.is_send = true, .peer = peer, .tag = tag});
    const int neighbour = node_->node_rank_of(peer);
    const auto where = neighbour >= 0 ? node_->find(block) : std::nullopt;
    const bool is_view = where || (neighbour >= 0 && block.empty());
    const auto [window, offset] = where.value_or(NodeWindows::Location{});
    if (neighbour >= 0)
      queues_->push(neighbour, {is_view ? Notice::view : Notice::message, tag, request, window, offset, block.size()});
    if (!is_view) pieces_.send(request, peer, tag, block);
    return request;
  }

  Request post_recv(int peer, int tag, std::span<std::byte> landing) override {
    check_post(peer, tag);
    const Request request = rows_.add({.peer = peer, .tag = tag, .landing = landing, .data = landing.data()});
    if (node_->node_rank_of(peer) < 0)
      pieces_.receive(request, peer, tag, landing);
    else if (const auto notice = matcher_.receive(peer, tag, request))
      accept(request, *notice);
    return request;
  }

  // Progress once per round of tests, not once per test: a request seen since the last progress asks for the next.
  bool test(Request request) override {
    PostedMessage& row = rows_.at(request);
    if (row.done) return true;
    if (row.tested_at == rounds_) progress();
    row.tested_at = rounds_;
    return row.done;
  }

  const std::byte* data(Request received) const override {
    const PostedMessage& row = rows_.at(received);
    require(!row.is_send && row.done, "request {} has no data (it is no finished receive)", received);
    return row.data;
  }

  // The sender may leave as soon as it knows, and we may not be called again: a full ring is waited for, not put off.
  void release(Request request) override {
    const PostedMessage& row = rows_.at(request);
    require(row.done, "request {} is released before it is over", request);
    if (row.is_view) {
      const Notice notice{.kind = Notice::returned, .tag = row.tag, .request = row.theirs};
      const int neighbour = node_->node_rank_of(row.peer);
      while (!queues_->try_push(neighbour, notice)) {
        drain_notices();
        yield_core();
        look_up();
      }
    }
    rows_.remove(request);
  }

  void progress() override {
    ++rounds_;
    drain_notices();
    for (const Request request : pieces_.progress()) rows_.at(request).done = true;
  }

  // A network is slow enough for others to have the core meanwhile; who reads a neighbour's memory waits for less.
  void idle() override {
    progress();
    pieces_.widen_when_stuck();
    look_up();
    if (pieces_.under_way())
      ::sched_yield();
    else
      yield_core();
  }

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override {
    free_deferred(size_, [this](auto mine, auto all) { gather(mine, all); });
    const std::vector<std::size_t> all = gathered(*this, bytes);
    together(*this, [&] {
      for (const std::size_t each : all) detail::byte_count(static_cast<Index>(each), 1);
      node_->check_room(node_->sum(all));
    });
    const std::uint32_t number = node_->next_number();
    std::unique_ptr<SharedMemory> memory;
    together(*this, [&] { memory = std::make_unique<NodeMemory>(node_, bytes, number); });
    return memory;
  }

  std::unique_ptr<SharedMemory> adopt(std::shared_ptr<std::byte> memory, std::size_t bytes,
                                      const std::vector<std::byte*>& there) override {
    free_deferred(size_, [this](auto mine, auto all) { gather(mine, all); });
    const std::uint32_t number = node_->next_number();
    return std::make_unique<AdoptedMemory>(node_, node_->adopt(std::move(memory), bytes, there, number));
  }

  std::unique_ptr<Transport> duplicate() override {
    static const std::string* const call = call_name("duplicating the communicator");
    free_deferred(size_, [this](auto mine, auto all) { gather(mine, all); });
    const std::uint64_t number = meet(call, {}, {});
    return std::make_unique<MpiTransport>(duplicate_of(comm_, [this] { idle(); }), tuning_, node_, number);
  }

  std::uint64_t announce(const Call& call) override { return node_->group().desk->announce(call); }

  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const auto ranks = at(size_);
    require(mine.size() * ranks == all.size() && mine.size() <= std::size_t{std::numeric_limits<int>::max()},
            "cannot gather {} bytes from each of {} ranks into {} bytes", mine.size(), size_, all.size());
    static const std::string* const call = call_name("a gather on the communicator");
    meet(call, mine, all);
  }

  void barrier() override {
    static const std::string* const call = call_name("a barrier on the communicator");
    meet(call, {}, {});
  }

  void give_up() noexcept override {
    if (!survives_exceptions()) abort(outcome_of([] { throw; }).text);
  }

  [[noreturn]] void abort(const std::string& why) noexcept override {
    std::fprintf(stderr, "kallima: rank %d: %s\n", rank_, why.c_str());
    std::fflush(nullptr);
    MPI_Abort(comm_, 1);
    std::_Exit(1);
  }

 private:
  struct PostedMessage {
    bool is_send = false, done = false;
    int peer = 0, tag = 0;
    std::span<std::byte> landing = {};
    const std::byte* data = nullptr;
    bool is_view = false;
    Request theirs = -1;                                  // of a view: the sender's request
    std::shared_ptr<std::vector<std::byte>> buffer = {};  // where the caller gave no landing area and a message came
    std::uint64_t tested_at = 0;
  };

  void check_post(int peer, int tag) const {
    check_peer(*this, peer);
    require(tag >= 0 && tag <= largest_tag_, "tag {} is none of this MPI's (0 to {})", tag, largest_tag_);
  }

  void accept(Request request, const Notice& notice) {
    PostedMessage& row = rows_.at(request);
    if (notice.kind == Notice::view) {
      row.is_view = true;
      row.theirs = notice.request;
      if (notice.bytes > 0) row.data = node_->address(node_->node_rank_of(row.peer), {notice.window, notice.offset});
      row.done = true;
      return;
    }
    if (row.landing.size() < notice.bytes) {
      row.buffer = std::make_shared<std::vector<std::byte>>(notice.bytes);
      row.landing = *row.buffer;
      row.data = row.landing.data();
    }
    pieces_.receive(request, row.peer, row.tag, row.landing.first(notice.bytes));
  }

  void on_notice(int neighbour, const Notice& notice) {
    if (notice.kind == Notice::returned) {
      rows_.at(notice.request).done = true;
      return;
    }
    const auto request = matcher_.arrive(node_->rank_at(neighbour), notice.tag, notice);
    if (request) accept(*request, notice);
  }

  void drain_notices() {
    if (queues_) queues_->drain([&](int neighbour, const Notice& notice) { on_notice(neighbour, notice); });
  }

  // What every rank brings to a meeting, since MPI would let ranks meet for different things: why it is there, and what
  // it has to tell where that is little.
  struct Card {
    std::uint64_t what = 0, bytes = 0;
    std::array<std::byte, 48> first = {};
  };

  // Gathers `mine`, where it is not empty. Throws on all ranks where they did not meet for the same. Returns the number
  // of this step.
  std::uint64_t meet(const std::string* what, std::span<const std::byte> mine, std::span<std::byte> all) {
    const std::uint64_t number = announce({what, made_in_, what});
    Card card{.what = hash(*what), .bytes = mine.size()};
    const bool fits = mine.size() <= card.first.size();
    if (fits) std::ranges::copy(mine, card.first.begin());
    std::vector<Card> cards(at(size_));
    finish(start_gather(comm_, std::as_bytes(std::span(&card, 1)), std::as_writable_bytes(std::span(cards))));
    const auto other = std::ranges::find_if(
        cards, [&](const Card& c) { return c.what != cards[0].what || c.bytes != cards[0].bytes; });
    if (other != cards.end()) refuse(mine.size(), static_cast<int>(other - cards.begin()));
    for (std::size_t r = 0; fits && r < cards.size(); ++r)
      std::copy_n(cards[r].first.begin(), mine.size(), all.begin() + static_cast<std::ptrdiff_t>(r * mine.size()));
    if (!fits) finish(start_gather(comm_, mine, all));
    return number;
  }

  // Rank 0 and `other` met for different things; all ranks are here to hear of it.
  [[noreturn]] void refuse(std::size_t bytes, int other) {
    using Text = std::array<char, 200>;
    Text mine{};
    fmt::format("{} of {} bytes", node_->group().desk->text_of_last(), bytes).copy(mine.data(), mine.size() - 1);
    std::vector<Text> all(at(size_));
    finish(start_gather(comm_, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))));
    fail("{}", difference(0, all[0].data(), other, all[at(other)].data()));
  }

  // Others may need our messages before they can join, so waiting here goes on making progress.
  void finish(MPI_Request request) {
    int over = 0;
    while (true) {
      check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), "MPI_Iallgather");
      if (over != 0) return;
      idle();
    }
  }

  void look_up() {  // seldom: it asks for the time
    if (++waits_ % 64 == 0) Desk::look_up();
  }

  void yield_core() const {
    if (node_->crowded())
      ::sched_yield();
    else
      for (int i = 0; i < 8; ++i) pause();
  }

  MPI_Comm comm_;
  TuningInForce tuning_;
  int rank_ = mpi_rank(comm_);
  int size_ = mpi_size(comm_);
  int largest_tag_ = largest_tag_of(comm_);
  std::shared_ptr<NodeWindows> node_;
  std::uint64_t made_in_;                        // the call
  std::uint32_t number_ = node_->next_number();  // of its deferred free
  std::unique_ptr<NoticeQueues> queues_;         // none where nothing is shared
  Pieces pieces_{comm_, size_, tuning_.tuning};
  RequestTable<PostedMessage> rows_;
  Matcher<Notice> matcher_;
  std::uint64_t rounds_ = 1;  // of progress()
  unsigned waits_ = 0;
};

// By the caller alone: the others of what is no communicator are not there to agree with.
void check_communicator(MPI_Comm comm) {
  int begun = 0, between_groups = 0;
  MPI_Initialized(&begun);
  require(begun != 0, "there are no communicators yet (MPI is not initialised): call MPI_Init first");
  require(!mpi_is_over(), "there are no communicators any more (MPI is finalised): make a Comm before");
  require(comm != MPI_COMM_NULL, "this rank is in no communicator (MPI_COMM_NULL): leave it out");
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  require(between_groups == 0, "ranks of an intercommunicator cannot transform together: merge it first");
}

// The first time that ranks make a communicator they have no desk to compare their calls at, and nobody can tell a slow
// rank from one that will never come: whoever waits for long says so, and waits on.
void wait_for_others(MPI_Comm comm, bool can_compare) {
  const auto since = Desk::Clock::now();
  bool said = can_compare;
  free_deferred_of(comm, [&] {
    Desk::look_up();
    if (said || Desk::Clock::now() - since < very_long_wait) return;
    said = true;
    std::fprintf(stderr,
                 "kallima: rank %d of %d has waited %d s for the others to make a communicator of these ranks\n",
                 mpi_rank(comm), mpi_size(comm), static_cast<int>(very_long_wait.count()));
    std::fflush(stderr);
  });
}

}  // namespace

Comm comm_with(MPI_Comm comm, const MpiWorldOptions& wish) {
  check_communicator(comm);
  Desk* const desk = desk_of(comm);
  const std::uint64_t number = desk == nullptr ? 0 : desk->announce({call_name("making a communicator")});
  wait_for_others(comm, desk != nullptr);
  const TuningInForce tuning = tuning_in_force(comm, wish);
  check_options(comm, wish.shared_windows, tuning.tuning);
  const auto node = std::make_shared<NodeWindows>(comm, wish.shared_windows);
  std::unique_ptr<Transport> transport =
      std::make_unique<MpiTransport>(duplicate_of(comm, Desk::look_up), tuning, node, number);
  if (tuning.tuning.progress == ProgressBy::thread) transport = std::make_unique<ProgressThread>(std::move(transport));
  return Comm(std::move(transport));
}

Comm mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  return comm_with(comm, {.shared_windows = options.shared_windows, .exactly = options.tuning});
}

}  // namespace kallima
