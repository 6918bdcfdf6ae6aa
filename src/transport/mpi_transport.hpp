#pragma once
// One rank of the MPI transport. To a neighbour on the node every block is announced by letter: those in shared memory
// are then read where they lie, others follow in pieces. Between nodes there are only pieces. Both ends know from
// the peer alone which of the two it will be.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kallima/mpi.hpp"
#include "transport/matcher.hpp"
#include "transport/mpi_mailroom.hpp"
#include "transport/mpi_pieces.hpp"
#include "transport/mpi_tuning.hpp"
#include "transport/request_table.hpp"

namespace kallima {

class MpiTransport final : public Transport {
 public:
  // Collective. Takes `comm` over.
  MpiTransport(MPI_Comm comm, const TuningInForce& tuning, std::shared_ptr<NodeWindows> node);
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override { leave_comm(node_->crowd(), number_, comm_); }

  std::string name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool all_views() const override { return node_->size() == size_; }
  bool survives_exceptions() const override { return size_ == 1; }
  Tuning tuning() const override { return tuning_.tuning; }
  std::string tuning_from() const override { return tuning_.from; }
  void retune(const Tuning& tuning, const std::string& from) override;

  void reserve(std::size_t requests) override { rows_.reserve(requests); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override;
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override;
  bool test(Request request) override;
  const std::byte* data(Request received) const override;
  void release(Request request) override;
  void progress() override;
  void idle() override;

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override;
  std::unique_ptr<Transport> duplicate() override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override;
  [[noreturn]] void abort(const std::string& why) noexcept override;

 private:
  struct Row {
    bool is_send = false;
    bool done = false;
    int peer = 0;
    int tag = 0;
    std::span<std::byte> landing = {};
    const std::byte* data = nullptr;
    bool is_view = false;
    Request theirs = -1;                                  // of a view: the sender's request
    std::shared_ptr<std::vector<std::byte>> buffer = {};  // where the caller gave no landing area and a message came
    std::uint64_t tested_at = 0;
  };

  void check_post(int peer, int tag) const;
  void announce(int place, const Letter& letter);
  void accept(Request request, const Letter& letter);
  void on_letter(int place, const Letter& letter);
  void take_letters();
  void send_unsent();
  void finish(MPI_Request request, const char* call);
  void yield_core() const;

  MPI_Comm comm_;
  TuningInForce tuning_;
  int rank_;
  int size_;
  int largest_tag_;
  std::shared_ptr<NodeWindows> node_;
  std::uint64_t number_;            // of what it leaves
  std::unique_ptr<Mailroom> mail_;  // none where nothing is shared
  Pieces pieces_;
  RequestTable<Row> rows_;
  Matcher<Letter> matcher_;
  std::vector<std::deque<Letter>> unsent_;  // by place: letters whose ring was full
  int unsent_letters_ = 0;
  std::uint64_t rounds_ = 1;  // of progress()
};

}  // namespace kallima
