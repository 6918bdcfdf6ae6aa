#pragma once
// Blocks that travel as MPI messages. Nothing progresses while a rank computes, and large messages of both directions
// get in each other's way, so a block goes in pieces, few of them under way to one peer at a time and in the order the
// sends were posted; each call of progress() posts the next pieces as earlier ones finish. Any size will do, since no
// single message is longer than a piece.

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "kallima/transport.hpp"
#include "kallima/tuning.hpp"

namespace kallima {

class Pieces {
 public:
  Pieces(MPI_Comm comm, int ranks, const Tuning& tuning);

  void retune(const Tuning& tuning);  // while nothing is under way
  bool under_way() const { return !requests_.empty(); }

  void send(Request request, int peer, int tag, std::span<const std::byte> block);
  void receive(Request request, int peer, int tag, std::span<std::byte> landing);
  const std::vector<Request>& progress();  // whose blocks are over since the last call

  // For ranks with nothing else to do. A receiver may have its reasons to want a later block first: when nothing has
  // moved for long, more pieces than the window are sent.
  void widen_when_stuck();

 private:
  struct Job {
    Request request = -1;
    bool is_send = false;
    int peer = 0;
    int tag = 0;
    std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::size_t posted = 0;  // bytes
    bool all_posted = false;
    bool started = false;  // a piece of it has arrived
    int under_way = 0;
  };
  struct Lane {
    std::vector<int> waiting;  // jobs with pieces not posted yet, oldest first: few, in a list that keeps its memory
    int under_way = 0;
    int limit = 0;
  };
  struct Piece {
    int job;
    int bytes;
  };
  using Clock = std::chrono::steady_clock;

  int add(const Job& job);
  Job& job_at(int job) { return jobs_[static_cast<std::size_t>(job)]; }
  Lane& lane_of(const Job& job) { return (job.is_send ? sending_ : receiving_)[static_cast<std::size_t>(job.peer)]; }
  void post_piece(int job);
  void pump_sends(Lane& lane);
  void pump_receives(Lane& lane);
  bool is_held_up(const Lane& lane, std::size_t position);
  void post_receives(const Lane& lane, int job);
  void finish_piece(const Piece& piece, const MPI_Status& status);
  int test_some(std::size_t begin, std::size_t count);
  void take_out(std::size_t gone);

  static constexpr std::size_t most_per_test = 64;  // keeps one call cheap; the rest has its turn in the next

  MPI_Comm comm_;
  Tuning tuning_;
  std::vector<Lane> sending_, receiving_;  // by peer
  std::deque<Job> jobs_;
  std::vector<int> free_jobs_;
  std::vector<MPI_Request> requests_;
  std::vector<Piece> pieces_;  // of requests_
  std::size_t next_to_test_ = 0;
  std::array<int, most_per_test> done_{};
  std::array<MPI_Status, most_per_test> statuses_{};
  std::vector<Request> over_;
  Clock::time_point last_moved_ = Clock::now();
  bool moved_ = false;
};

}  // namespace kallima
