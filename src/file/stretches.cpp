// A round's messages are few and large: at most one from every rank to every other.

#include "file/stretches.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr Index stretch_bytes = Index{4} << 20;

}  // namespace

Stretches::Stretches(Transport& transport, const Layout& layout, Index item_bytes, Index offset, std::size_t part_bytes)
    : transport_(transport.duplicate()), rank_(transport.rank()), ranks_(transport.size()), item_(item_bytes) {
  together(*transport_, [&] { prepare(layout, part_bytes); });
  lead_ = offset / item_ % step_;
  by_owner_ = transport_->allocate(static_cast<std::size_t>(sorted_.size()));
}

void Stretches::prepare(const Layout& layout, std::size_t part_bytes) {
  require(layout.ranks() == ranks_, "a layout for {} ranks is used by {}", layout.ranks(), ranks_);
  items_ = file_bytes(layout, item_, 0) / item_;
  check_part(layout, rank_, item_, part_bytes);
  for (int r = 0; r < ranks_; ++r) runs_.emplace_back(layout, r);
  step_ = std::max<Index>(1, stretch_bytes / item_);
  sorted_ = Array<std::byte>(std::min(step_, items_) * item_);
}

std::span<std::byte> Stretches::stretch(Index round) const {
  return sorted_.span().first(static_cast<std::size_t>((begin(round, rank_ + 1) - begin(round, rank_)) * item_));
}

Stretches::Slice Stretches::slice(int owner, Index round, int mover) const {
  const PartRuns& runs = runs_[static_cast<std::size_t>(owner)];
  const Index first = runs.items_before(begin(round, mover));
  return {first * item_, (runs.items_before(begin(round, mover + 1)) - first) * item_};
}

// Calls copy(in file order, byte of the owner's slice, bytes) for every run that an owner has of this rank's stretch.
template <class Copy>
void Stretches::each_run(Index round, int owner, Copy copy) const {
  const Index first = begin(round, rank_), skipped = slice(owner, round, rank_).first;
  runs_[static_cast<std::size_t>(owner)].visit_range(
      first, begin(round, rank_ + 1), [&](Index place, Index local, Index items) {
        copy(sorted_.data() + (place - first) * item_, local * item_ - skipped,
             static_cast<std::size_t>(items * item_));
      });
}

void Stretches::wait(Request request) const {
  while (!transport_->test(request)) transport_->idle();
}

void Stretches::finish(const std::vector<Request>& sends) const {
  for (const Request send : sends) {
    wait(send);
    transport_->release(send);
  }
}

void Stretches::deal_out(Index round, std::byte* part) const {
  std::vector<Arrival> arrivals;
  for (int mover = 0; mover < ranks_; ++mover) {
    const Slice mine = slice(rank_, round, mover);
    const std::span landing(part + mine.first, static_cast<std::size_t>(mine.bytes));
    if (mover != rank_ && mine.bytes > 0)
      arrivals.push_back({transport_->post_recv(mover, 0, landing), mover, landing});
  }
  std::vector<Request> sends;
  std::byte* block = by_owner_->bytes().data();
  for (int owner = 0; owner < ranks_; ++owner) {
    const Slice theirs = slice(owner, round, rank_);
    std::byte* const to = owner == rank_ ? part + theirs.first : block;
    each_run(round, owner,
             [&](const std::byte* in_file, Index at, std::size_t n) { std::memcpy(to + at, in_file, n); });
    if (owner == rank_ || theirs.bytes == 0) continue;
    sends.push_back(transport_->post_send(owner, 0, {block, static_cast<std::size_t>(theirs.bytes)}));
    block += theirs.bytes;
  }
  for (const Arrival& arrival : arrivals) {
    wait(arrival.request);
    const std::byte* const came = transport_->data(arrival.request);
    if (came != arrival.landing.data()) std::memcpy(arrival.landing.data(), came, arrival.landing.size());
    transport_->release(arrival.request);
  }
  finish(sends);
}

void Stretches::collect(Index round, const std::byte* part) const {
  std::vector<Arrival> arrivals;
  std::byte* block = by_owner_->bytes().data();
  for (int owner = 0; owner < ranks_; ++owner) {
    const Slice theirs = slice(owner, round, rank_);
    if (owner == rank_ || theirs.bytes == 0) continue;
    const std::span landing(block, static_cast<std::size_t>(theirs.bytes));
    arrivals.push_back({transport_->post_recv(owner, 0, landing), owner, landing});
    block += theirs.bytes;
  }
  std::vector<Request> sends;
  for (int mover = 0; mover < ranks_; ++mover) {
    const Slice mine = slice(rank_, round, mover);
    if (mover != rank_ && mine.bytes > 0)
      sends.push_back(transport_->post_send(mover, 0, {part + mine.first, static_cast<std::size_t>(mine.bytes)}));
  }
  const auto put = [&](int owner, const std::byte* from) {
    each_run(round, owner, [&](std::byte* in_file, Index at, std::size_t n) { std::memcpy(in_file, from + at, n); });
  };
  put(rank_, part + slice(rank_, round, rank_).first);
  for (const Arrival& arrival : arrivals) {
    wait(arrival.request);
    put(arrival.from, transport_->data(arrival.request));
    transport_->release(arrival.request);
  }
  finish(sends);
}

}  // namespace kallima
