#pragma once
// A transport that does all the interface forbids one to rely on, repeatably by seed: posts reach the inner transport
// late and in random order (those of one peer, tag and direction in their own), and what is finished is not admitted
// to be for a random number of test() calls. Code that gives the right answer on it for many seeds does not depend on
// the order in which messages travel.

#include <algorithm>
#include <memory>
#include <random>

#include "kallima/comm.hpp"
#include "transport/requests.hpp"

namespace kallima {

class Chaos final : public Transport {
 public:
  // Ranks see the memory of all others, or of those on their node of so many.
  Chaos(std::unique_ptr<Transport> inner, std::uint64_t seed, int ranks_of_node = 0)
      : inner_(std::move(inner)),
        seed_(seed),
        ranks_of_node_(ranks_of_node),
        random_(seed * 1000003 + static_cast<std::uint64_t>(inner_->rank())),
        slowness_(std::uniform_int_distribution<>(0, 3)(random_)) {}

  std::string name() const override { return "chaos over " + inner_->name(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool sees(int peer) const override {
    return inner_->sees(peer) && (ranks_of_node_ == 0 || peer / ranks_of_node_ == rank() / ranks_of_node_);
  }
  bool survives_exceptions() const override { return inner_->survives_exceptions(); }

  Request post_send(int peer, int tag, std::span<const std::byte> block) override {
    return hold({.is_send = true, .peer = peer, .tag = tag, .block = block});
  }
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override {
    return hold({.is_send = false, .peer = peer, .tag = tag, .landing = landing});
  }

  bool test(Request request) override {
    stir();
    Row& row = rows_.at(request);
    if (row.done) return true;
    if (row.inner < 0 || !inner_->test(row.inner)) return false;
    row.done = row.patience-- == 0;
    denied_ = denied_ || !row.done;
    if (row.done && !row.landing.empty()) std::copy_n(inner_->data(row.inner), row.landing.size(), row.landing.begin());
    return row.done;
  }
  // Where a landing area was given the block is there, as a message's would be, and not in the sender's memory.
  const std::byte* data(Request received) const override {
    const Row& row = rows_.at(received);
    return row.landing.empty() ? inner_->data(row.inner) : row.landing.data();
  }
  void release(Request request) override {
    require(rows_.at(request).done, "request {} is released before test() said it is over", request);
    inner_->release(rows_.at(request).inner);
    rows_.remove(request);
  }
  void progress() override {
    stir();
    inner_->progress();
  }
  void idle() override {
    if (held_.empty() && !denied_) inner_->idle();
    stir();
    denied_ = false;
  }

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override { return settled().allocate(bytes); }
  std::unique_ptr<Transport> duplicate() override {
    return std::make_unique<Chaos>(settled().duplicate(), seed_ + 7919, ranks_of_node_);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override { settled().gather(mine, all); }
  void barrier() override { settled().barrier(); }
  std::uint64_t announce(const Call& call) override { return inner_->announce(call); }
  void give_up() noexcept override { inner_->give_up(); }
  [[noreturn]] void abort(const std::string& why) noexcept override {
    inner_->abort(why);
    std::terminate();  // not reached; the compiler does not see that through a virtual call
  }

 private:
  struct Row {
    bool is_send = false;
    int peer = 0;
    int tag = 0;
    std::span<const std::byte> block = {};
    std::span<std::byte> landing = {};
    Request inner = -1;
    int patience = 0;  // so often test() lies once the inner request is finished
    bool done = false;
  };

  int below(int bound) { return std::uniform_int_distribution<>(0, bound - 1)(random_); }

  Request hold(Row row) {
    row.patience = below(1 + 4 * slowness_);
    held_.push_back(rows_.add(row));
    return held_.back();
  }

  // Hands over one of the held posts, or none.
  void stir() {
    if (held_.empty() || below(1 + slowness_) > 0) return;
    const Row& chosen = rows_.at(held_[static_cast<std::size_t>(below(static_cast<int>(held_.size())))]);
    const auto first = std::find_if(held_.begin(), held_.end(), [&](Request r) {
      const Row& row = rows_.at(r);
      return row.is_send == chosen.is_send && row.peer == chosen.peer && row.tag == chosen.tag;
    });
    Row& row = rows_.at(*first);
    held_.erase(first);
    row.inner = row.is_send ? inner_->post_send(row.peer, row.tag, row.block)
                            : inner_->post_recv(row.peer, row.tag, row.landing);
  }

  // Others may need what is held back before they can join a collective call.
  Transport& settled() {
    while (!held_.empty()) stir();
    return *inner_;
  }

  std::unique_ptr<Transport> inner_;
  std::uint64_t seed_;
  int ranks_of_node_;
  std::mt19937_64 random_;
  int slowness_;
  RequestTable<Row> rows_;
  std::vector<Request> held_;
  bool denied_ = false;
};

// Collective: a communicator like `comm` whose messages are delayed and reordered by `seed`.
inline Comm chaotic(const Comm& comm, std::uint64_t seed) {
  return Comm(std::make_shared<Chaos>(comm.transport().duplicate(), seed));
}

}  // namespace kallima
