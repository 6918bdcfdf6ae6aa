#pragma once
// Blocks that travel as MPI messages. Nothing progresses while a rank computes, and large messages of both directions
// get in each other's way, so a block goes in pieces, few of them under way to one peer at a time and in the order the
// sends were posted; each call of progress() posts the next pieces as earlier ones finish. Any size will do, since no
// single message is longer than a piece.
//
// Windows differ by direction. Sends to a peer are posted in order up to the window. A receive has its first piece
// posted at once, whatever is before it, because the sender's order is not known here; the oldest receive and those
// whose pieces have begun to arrive have a window each. Blocks of one tag are told apart by MPI's order alone, so a
// later one waits until all pieces of the earlier are posted.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <vector>

#include "transport/mpi_check.hpp"
#include "transport/requests.hpp"

namespace kallima {

class Pieces {
 public:
  Pieces(MPI_Comm comm, int ranks, const Tuning& tuning)
      : comm_(comm), tuning_(tuning), sending_(at(ranks), Lane{{}, 0, tuning.send_window}), receiving_(at(ranks)) {}

  void retune(const Tuning& tuning) {  // while nothing is under way
    expect(requests_.empty());
    tuning_ = tuning;
    for (Lane& lane : sending_) lane.limit = tuning.send_window;
  }

  bool under_way() const { return !requests_.empty(); }

  void send(Request request, int peer, int tag, std::span<const std::byte> block) {
    auto* at = const_cast<std::byte*>(block.data());  // a Job is of either kind; sends are only read
    const Job job{.request = request, .is_send = true, .peer = peer, .tag = tag, .at = at, .bytes = block.size()};
    Lane& lane = lane_of(job);
    lane.waiting.push_back(jobs_.add(job));
    pump_sends(lane);
  }

  void receive(Request request, int peer, int tag, std::span<std::byte> landing) {
    const Job job{.request = request, .peer = peer, .tag = tag, .at = landing.data(), .bytes = landing.size()};
    Lane& lane = lane_of(job);
    lane.waiting.push_back(jobs_.add(job));
    const std::size_t last = lane.waiting.size() - 1;
    if (is_held_up(lane, last)) return;
    post_receives(lane, lane.waiting.back());
    if (jobs_.at(lane.waiting.back()).all_posted) lane.waiting.pop_back();
  }

  const std::vector<Request>& progress() {  // whose blocks are over since the last call
    over_.clear();
    if (requests_.empty()) return over_;
    const std::size_t begin = next_to_test_ < requests_.size() ? next_to_test_ : 0;
    const std::size_t count = std::min(most_per_test, requests_.size() - begin);
    next_to_test_ = begin + count;
    const auto dones = at(test_some(begin, count));
    if (dones == 0) return over_;
    moved_ = true;

    std::array<Piece, most_per_test> finished;
    for (std::size_t i = 0; i < dones; ++i) finished[i] = pieces_[begin + at(done_[i])];
    std::sort(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(dones), std::greater<>());
    for (std::size_t i = 0; i < dones; ++i) take_out(begin + at(done_[i]));
    for (std::size_t i = 0; i < dones; ++i) finish_piece(finished[i], statuses_[i]);
    return over_;
  }

  // For ranks with nothing else to do. A receiver may have its reasons to want a later block first: when nothing has
  // moved for long, more pieces than the window are sent.
  void widen_when_stuck() {
    if (requests_.empty()) return;
    const auto now = Clock::now();
    if (moved_ || now - last_moved_ > 10 * stuck_after) {
      moved_ = false;
      last_moved_ = now;
    }
    if (now - last_moved_ < stuck_after) return;
    last_moved_ = now;
    for (Lane& lane : sending_) {
      if (lane.waiting.empty()) continue;
      lane.limit = std::min(2 * lane.limit, widest);
      pump_sends(lane);
    }
  }

 private:
  struct Job {
    Request request = -1;
    bool is_send = false;
    int peer = 0, tag = 0;
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
    int job, bytes;
  };
  using Clock = std::chrono::steady_clock;

  Lane& lane_of(const Job& job) { return (job.is_send ? sending_ : receiving_)[at(job.peer)]; }

  void post_piece(int index) {
    Job& job = jobs_.at(index);
    const int bytes = static_cast<int>(std::min(tuning_.piece_bytes, job.bytes - job.posted));
    MPI_Request request = MPI_REQUEST_NULL;
    std::byte* const first = job.at + job.posted;
    if (job.is_send)
      check_mpi(MPI_Isend(first, bytes, MPI_BYTE, job.peer, job.tag, comm_, &request), "MPI_Isend");
    else
      check_mpi(MPI_Irecv(first, bytes, MPI_BYTE, job.peer, job.tag, comm_, &request), "MPI_Irecv");
    requests_.push_back(request);
    pieces_.push_back({index, bytes});
    job.posted += at(bytes);
    job.all_posted = job.posted == job.bytes;
    ++job.under_way;
    ++lane_of(job).under_way;
  }

  void pump_sends(Lane& lane) {
    while (!lane.waiting.empty() && lane.under_way < lane.limit) {
      const int job = lane.waiting.front();
      post_piece(job);
      if (jobs_.at(job).all_posted) lane.waiting.erase(lane.waiting.begin());
    }
  }

  void pump_receives(Lane& lane) {
    for (std::size_t i = 0; i < lane.waiting.size();) {
      const int job = lane.waiting[i];
      if (!is_held_up(lane, i)) post_receives(lane, job);
      if (jobs_.at(job).all_posted)
        lane.waiting.erase(lane.waiting.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
  }

  bool is_held_up(const Lane& lane, std::size_t position) {
    const int tag = jobs_.at(lane.waiting[position]).tag;
    const auto end = lane.waiting.begin() + static_cast<std::ptrdiff_t>(position);
    return std::any_of(lane.waiting.begin(), end, [&](int earlier) { return jobs_.at(earlier).tag == tag; });
  }

  void post_receives(const Lane& lane, int index) {
    Job& job = jobs_.at(index);
    const int most = job.started || index == lane.waiting.front() ? tuning_.receive_window : 1;
    while (!job.all_posted && job.under_way < most) post_piece(index);
  }

  void finish_piece(const Piece& piece, const MPI_Status& status) {
    Job& job = jobs_.at(piece.job);
    Lane& lane = lane_of(job);
    --job.under_way;
    --lane.under_way;
    if (job.is_send) {
      if (lane.waiting.empty() && lane.under_way == 0) lane.limit = tuning_.send_window;
      pump_sends(lane);
    } else {
      int got = 0;
      MPI_Get_count(&status, MPI_BYTE, &got);
      require(got == piece.bytes, "rank {} sent {} bytes under tag {} where {} were expected", job.peer, got, job.tag,
              piece.bytes);
      job.started = true;
      if (!job.all_posted) pump_receives(lane);
    }
    if (!job.all_posted || job.under_way > 0) return;
    over_.push_back(job.request);
    jobs_.remove(piece.job);
  }

  // Which of requests_[begin, begin + count) are over, with their statuses.
  int test_some(std::size_t begin, std::size_t count) {
    int dones = 0;
    const int code =
        MPI_Testsome(static_cast<int>(count), requests_.data() + begin, &dones, done_.data(), statuses_.data());
    if (code == MPI_ERR_IN_STATUS)
      for (int i = 0; i < dones; ++i) check_mpi(statuses_[at(i)].MPI_ERROR, "an MPI message");
    else
      check_mpi(code, "MPI_Testsome");
    return dones == MPI_UNDEFINED ? 0 : dones;
  }

  void take_out(std::size_t gone) {
    requests_[gone] = requests_.back();
    pieces_[gone] = pieces_.back();
    requests_.pop_back();
    pieces_.pop_back();
  }

  static constexpr auto stuck_after = std::chrono::milliseconds(100);
  static constexpr int widest = 1 << 20;
  static constexpr std::size_t most_per_test = 64;  // keeps one call cheap; the rest has its turn in the next

  MPI_Comm comm_;
  Tuning tuning_;
  std::vector<Lane> sending_, receiving_;  // by peer
  RequestTable<Job> jobs_;
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
