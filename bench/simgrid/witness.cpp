// One rank of a schedule as an MPI program, for SimGrid's SMPI to time, by the rules of our simulator: sends leave in
// the order in which they become ready, one at a time; what happens at one instant is taken in its order: sends that
// end, then a send that can leave, then messages that came, the lowest sender first, then the ready task with the lowest
// number, which takes no time. Reads what rank N does from DIR/N: a line for each task, its kind, peer, tag, bytes,
// the start it finishes, and the tasks it waits for.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct WitnessTask {
  std::string kind;
  int peer = -1, tag = -1, bytes = 0;
  int start = -1, finish = -1, unmet = 0;
  std::vector<int> followers = {};
};

class WitnessRank {
 public:
  explicit WitnessRank(const std::string& file) {
    std::ifstream in(file);
    int largest = 1;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      WitnessTask t;
      words >> t.kind >> t.peer >> t.tag >> t.bytes >> t.start;
      const int id = static_cast<int>(tasks_.size());
      for (int before = 0; words >> before; ++t.unmet) tasks_[before].followers.push_back(id);
      if (t.start >= 0) tasks_[t.start].finish = id;
      largest = std::max(largest, t.bytes);
      tasks_.push_back(std::move(t));
    }
    left_ = tasks_.size();
    leaving_.resize(largest);
    landing_.resize(largest);
    over_.resize(tasks_.size());
  }

  // Messages leave whether they are expected or not, as in our simulator: receives are posted before anything else.
  void run() {
    std::vector<int> first;
    for (int id = 0; id < static_cast<int>(tasks_.size()); ++id) {
      if (tasks_[id].kind == "recv_start") post(id, MPI_Irecv, landing_.data());
      if (tasks_[id].unmet == 0) first.push_back(id);
    }
    for (const int id : first) ready(id);
    act();
    while (left_ > 0) {
      wait();
      act();
    }
  }

 private:
  void ready(int id) {
    const WitnessTask& t = tasks_[id];
    if (t.kind == "send_start") return outgoing_.push_back(id);
    if (t.kind == "recv_start") return finish(id);
    if (t.kind == "compute") return void(compute_.insert(id));
    if (t.kind == "recv_finish") {
      if (over_[t.start]) inbox_.insert({t.peer, id});
    } else if (t.kind != "send_finish" || over_[t.start]) {
      finish(id);
    }
  }

  void post(int id, auto call, char* data) {
    const WitnessTask& t = tasks_[id];
    call(data, t.bytes, MPI_BYTE, t.peer, t.tag, MPI_COMM_WORLD, &requests_.emplace_back());
    owners_.push_back(id);
  }

  void finish(int id) {
    --left_;
    for (const int next : tasks_[id].followers)
      if (--tasks_[next].unmet == 0) ready(next);
  }

  void act() {
    do {
      do send();
      while (receive());
    } while (compute());
  }

  void send() {
    if (sending_ || outgoing_.empty()) return;
    const int id = outgoing_.front();
    outgoing_.pop_front();
    sending_ = true;
    post(id, MPI_Isend, leaving_.data());
    finish(id);
  }

  bool receive() {
    const bool any = !inbox_.empty();
    while (!inbox_.empty()) finish(inbox_.extract(inbox_.begin()).value().second);
    return any;
  }

  bool compute() {
    const bool any = !compute_.empty();
    if (any) finish(compute_.extract(compute_.begin()).value());
    return any;
  }

  // For a message to be over, and all others that are over at the same time.
  void wait() {
    int index = 0, some = 1;
    MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
    while (some && index != MPI_UNDEFINED) {
      over(index);
      MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &some, MPI_STATUS_IGNORE);
    }
  }

  void over(int index) {
    const int id = owners_[index], end = tasks_[id].finish;
    requests_.erase(requests_.begin() + index);
    owners_.erase(owners_.begin() + index);
    over_[id] = true;
    const bool sent = tasks_[id].kind == "send_start";
    if (sent) sending_ = false;
    if (end < 0 || tasks_[end].unmet > 0) return;
    if (sent)
      finish(end);
    else
      inbox_.insert({tasks_[end].peer, end});
  }

  std::vector<WitnessTask> tasks_;
  std::vector<char> leaving_, landing_;  // of all messages: what they carry does not matter
  std::vector<bool> over_;               // by start: whether its message has gone, or come
  std::size_t left_ = 0;
  std::set<int> compute_;
  std::set<std::pair<int, int>> inbox_;  // finishes of messages that came, by sender
  std::deque<int> outgoing_;
  bool sending_ = false;
  std::vector<MPI_Request> requests_;
  std::vector<int> owners_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  WitnessRank me(std::string(argv[1]) + "/" + std::to_string(rank));
  const double begin = MPI_Wtime();  // no barrier: ranks leave one up to a microsecond apart, and begin together here
  me.run();
  double own = MPI_Wtime() - begin, longest = 0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("completion %.9g\n", longest);
  MPI_Finalize();
}
