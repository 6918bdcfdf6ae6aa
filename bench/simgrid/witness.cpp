// One rank of a schedule as an MPI program, for SimGrid's SMPI to time: sends leave in the order in which they become
// ready, one at a time; a free rank works on the ready task with the lowest
// number, and looks after its messages between slices of it. Reads what rank N does from DIR/N: a line for each task,
// its kind, peer, tag, bytes, operations, the start it finishes, and the tasks it waits for.

#include <mpi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct WitnessTask {
  std::string kind;
  int peer = -1, tag = -1, bytes = 0;
  double flops = 0;
  int start = -1, unmet = 0;
  std::vector<int> followers = {};
};

class WitnessRank {
 public:
  WitnessRank(const std::string& file, double slice) : slice_(slice) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      WitnessTask t;
      words >> t.kind >> t.peer >> t.tag >> t.bytes >> t.flops >> t.start;
      const int id = static_cast<int>(tasks_.size());
      for (int before = 0; words >> before; ++t.unmet) tasks_[before].followers.push_back(id);
      tasks_.push_back(std::move(t));
    }
    left_ = tasks_.size();
    int largest = 1;
    for (const WitnessTask& t : tasks_) largest = std::max(largest, t.bytes);
    leaving_.resize(largest);
    landing_.resize(largest);
    done_.resize(tasks_.size());
  }

  // Messages leave whether they are expected or not, as in our simulator: receives are posted before anything else.
  void run() {
    for (std::size_t id = 0; id < tasks_.size(); ++id)
      if (tasks_[id].kind == "recv_start") {
        post(static_cast<int>(id), MPI_Irecv, landing_.data());
      }
    for (std::size_t id = 0; id < tasks_.size(); ++id)
      if (tasks_[id].unmet == 0) ready(static_cast<int>(id));
    while (left_ > 0) {
      send();
      if (!compute_.empty())
        work(*compute_.begin());
      else if (left_ > 0)
        wait();
    }
  }

 private:
  void ready(int id) {
    WitnessTask& t = tasks_[id];
    if (t.kind == "send_start") return outgoing_.push_back(id);
    if (t.kind == "recv_start") return finish(id);
    if (t.kind == "send_finish" || t.kind == "recv_finish") {
      waiting_.insert(id);
      if (done_[t.start]) finish_waiting(id);
      return;
    }
    if (t.flops > 0)
      compute_.insert(id);
    else
      finish(id);
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
  void finish_waiting(int id) {
    waiting_.erase(id);
    finish(id);
  }

  void send() {
    while (!outgoing_.empty() && !sending_) {
      const int id = outgoing_.front();
      outgoing_.pop_front();
      sending_ = true;
      post(id, MPI_Isend, leaving_.data());
      finish(id);
    }
  }

  void over(int index) {
    const int id = owners_[index];
    requests_.erase(requests_.begin() + index);
    owners_.erase(owners_.begin() + index);
    done_[id] = true;
    if (tasks_[id].kind == "send_start") sending_ = false;
    const std::set<int> waiting = waiting_;
    for (const int one : waiting)
      if (tasks_[one].start == id) finish_waiting(one);
  }

  void look() {
    for (int index = 0, some = 1; some && !requests_.empty();) {
      MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &some, MPI_STATUS_IGNORE);
      if (some && index != MPI_UNDEFINED) over(index);
      send();
    }
  }

  void wait() {
    int index = 0;
    MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
    over(index);
    look();
  }

  // What becomes ready meanwhile waits until this task is done.
  void work(int id) {
    compute_.erase(id);
    for (double left = tasks_[id].flops; left > 0; left -= slice_) {
      smpi_execute_flops(left < slice_ ? left : slice_);
      look();
    }
    finish(id);
    look();
  }

  double slice_;
  std::vector<WitnessTask> tasks_;
  std::vector<char> leaving_, landing_;  // of all messages: what they carry does not matter
  std::vector<bool> done_;
  std::size_t left_ = 0;
  std::set<int> compute_, waiting_;
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
  WitnessRank me(std::string(argv[1]) + "/" + std::to_string(rank), std::stod(argv[2]));
  const double begin = MPI_Wtime();  // no barrier: ranks leave one up to a microsecond apart, and begin together here
  me.run();
  double own = MPI_Wtime() - begin, longest = 0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("completion %.9g\n", longest);
  MPI_Finalize();
}
