// Requests of the MPI transport and the calls that move them on. With nothing under way progress() reads one word of
// shared memory; otherwise it adds one MPI_Testsome.

#include "transport/mpi_transport.hpp"

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "kallima/memory.hpp"
#include "transport/mpi_check.hpp"

namespace kallima {
namespace {

int largest_tag_of(MPI_Comm comm) {
  int* value = nullptr;
  int known = 0;
  check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &known), "MPI_Comm_get_attr");
  return known != 0 ? *value : 32767;
}

void pause() {
#if defined(__aarch64__)
  asm volatile("isb");
#elif defined(__x86_64__)
  asm volatile("pause");
#endif
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm comm, const TuningInForce& tuning, std::shared_ptr<NodeWindows> node)
    : comm_(comm),
      tuning_(tuning),
      rank_(mpi_rank(comm)),
      size_(mpi_size(comm)),
      largest_tag_(largest_tag_of(comm)),
      node_(std::move(node)),
      number_(node_->next_number()),
      pieces_(comm, size_, tuning.tuning),
      unsent_(static_cast<std::size_t>(node_->size())) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  const std::uint64_t number = node_->next_number();
  together(*this, [&] {
    if (node_->size() > 0) mail_ = std::make_unique<Mailroom>(node_, number);
  });
}

void MpiTransport::retune(const Tuning& tuning, const std::string& from) {
  const ProgressBy progress = tuning_.tuning.progress;
  tuning_ = {tuning, from};
  tuning_.tuning.progress = progress;
  pieces_.retune(tuning_.tuning);
}

void MpiTransport::check_post(int peer, int tag) const {
  require(peer >= 0 && peer < size_, "there is no rank {} to exchange with (there are {} ranks)", peer, size_);
  require(tag >= 0 && tag <= largest_tag_, "tag {} is none of this MPI's (0 to {})", tag, largest_tag_);
}

Request MpiTransport::post_send(int peer, int tag, std::span<const std::byte> block) {
  check_post(peer, tag);
  const Request request = rows_.add({.is_send = true, .peer = peer, .tag = tag});
  const int place = node_->place_of(peer);
  const auto where = place >= 0 ? node_->find(block) : std::nullopt;
  if (where || (place >= 0 && block.empty())) {
    const auto [window, offset] = where.value_or(NodeWindows::Location{});
    announce(place, {Letter::view, tag, request, window, offset, block.size()});
    return request;
  }
  if (place >= 0) announce(place, {Letter::message, tag, request, 0, 0, block.size()});
  pieces_.send(request, peer, tag, block);
  return request;
}

Request MpiTransport::post_recv(int peer, int tag, std::span<std::byte> landing) {
  check_post(peer, tag);
  const Request request = rows_.add({.peer = peer, .tag = tag, .landing = landing, .data = landing.data()});
  if (node_->place_of(peer) < 0) {
    pieces_.receive(request, peer, tag, landing);
  } else if (const auto letter = matcher_.receive(peer, tag, request)) {
    accept(request, *letter);
  }
  return request;
}

void MpiTransport::announce(int place, const Letter& letter) {
  auto& unsent = unsent_[static_cast<std::size_t>(place)];
  if (unsent.empty() && mail_->put(place, letter)) return;
  unsent.push_back(letter);
  ++unsent_letters_;
}

void MpiTransport::accept(Request request, const Letter& letter) {
  Row& row = rows_.at(request);
  if (letter.kind == Letter::view) {
    row.is_view = true;
    row.theirs = letter.request;
    if (letter.bytes > 0) row.data = node_->address(node_->place_of(row.peer), {letter.window, letter.offset});
    row.done = true;
    return;
  }
  if (row.landing.size() < letter.bytes) {
    row.buffer = std::make_shared<std::vector<std::byte>>(letter.bytes);
    row.landing = *row.buffer;
    row.data = row.landing.data();
  }
  pieces_.receive(request, row.peer, row.tag, row.landing.first(letter.bytes));
}

void MpiTransport::on_letter(int place, const Letter& letter) {
  if (letter.kind == Letter::returned) {
    rows_.at(letter.request).done = true;
    return;
  }
  const auto request = matcher_.arrive(node_->rank_at(place), letter.tag, letter);
  if (request) accept(*request, letter);
}

void MpiTransport::take_letters() {
  if (!mail_) return;
  mail_->take([&](int place, const Letter& letter) { on_letter(place, letter); });
  if (unsent_letters_ > 0) send_unsent();
}

void MpiTransport::send_unsent() {
  for (int place = 0; place < node_->size(); ++place) {
    auto& unsent = unsent_[static_cast<std::size_t>(place)];
    for (; !unsent.empty() && mail_->put(place, unsent.front()); --unsent_letters_) unsent.pop_front();
  }
}

void MpiTransport::progress() {
  ++rounds_;
  take_letters();
  for (const Request request : pieces_.progress()) rows_.at(request).done = true;
}

// Progress once per round of tests, not once per test: a request seen since the last progress asks for the next.
bool MpiTransport::test(Request request) {
  Row& row = rows_.at(request);
  if (row.done) return true;
  if (row.tested_at == rounds_) progress();
  row.tested_at = rounds_;
  return row.done;
}

const std::byte* MpiTransport::data(Request received) const {
  const Row& row = rows_.at(received);
  require(!row.is_send && row.done, "request {} has no data (it is no finished receive)", received);
  return row.data;
}

// The sender may leave as soon as it knows, and we may not be called again: a full ring is waited for, not put off.
void MpiTransport::release(Request request) {
  const Row& row = rows_.at(request);
  require(row.done, "request {} is released before it is over", request);
  if (row.is_view) {
    const Letter letter{.kind = Letter::returned, .tag = row.tag, .request = row.theirs};
    const int place = node_->place_of(row.peer);
    while (!mail_->put(place, letter)) {
      take_letters();
      yield_core();
    }
  }
  rows_.remove(request);
}

void MpiTransport::yield_core() const {
  if (node_->crowded()) {
    ::sched_yield();
  } else {
    for (int i = 0; i < 8; ++i) pause();
  }
}

// A network is slow enough for others to have the core meanwhile; who reads a neighbour's memory waits for less.
void MpiTransport::idle() {
  progress();
  pieces_.widen_when_stuck();
  if (pieces_.under_way())
    ::sched_yield();
  else
    yield_core();
}

std::unique_ptr<SharedMemory> MpiTransport::allocate(std::size_t bytes) {
  free_left(size_, [this](auto mine, auto all) { gather(mine, all); });
  const std::vector<std::size_t> all = gathered(*this, bytes);
  together(*this, [&] {
    for (const std::size_t each : all) detail::byte_count(static_cast<Index>(each), 1);
    node_->check_space(all);
  });
  const std::uint64_t number = node_->next_number();
  std::unique_ptr<SharedMemory> memory;
  together(*this, [&] { memory = allocate_on(node_, bytes, number); });
  return memory;
}

std::unique_ptr<Transport> MpiTransport::duplicate() {
  return std::make_unique<MpiTransport>(duplicate_of(comm_), tuning_, node_);
}

// Others may need our messages before they can join, so waiting here goes on making progress.
void MpiTransport::finish(MPI_Request request, const char* call) {
  int over = 0;
  while (true) {
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), call);
    if (over != 0) return;
    idle();
  }
}

void MpiTransport::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  finish(request, "MPI_Ibarrier");
}

void MpiTransport::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto ranks = static_cast<std::size_t>(size_);
  require(mine.size() * ranks == all.size() && mine.size() <= std::size_t{std::numeric_limits<int>::max()},
          "cannot gather {} bytes from each of {} ranks into {} bytes", mine.size(), size_, all.size());
  const int bytes = static_cast<int>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_, &request),
            "MPI_Iallgather");
  finish(request, "MPI_Iallgather");
}

void MpiTransport::abort(const std::string& why) noexcept {
  std::fprintf(stderr, "kallima: rank %d: %s\n", rank_, why.c_str());
  std::fflush(nullptr);
  MPI_Abort(comm_, 1);
  std::_Exit(1);
}

}  // namespace kallima
