#include "transport/mpi_tuning.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

#include "transport/doctor_cache.hpp"
#include "transport/host.hpp"
#include "transport/mpi_check.hpp"

namespace kallima {
namespace {

// Where ranks share cores, a look at the messages takes time from a neighbour that could compute (four ranks on two
// cores: 256^3 at 2 Gbit/s in 0.248 s instead of 0.259 s).
constexpr double poll_when_crowded = 800e-6;

// The first rank reads for all, since each host may have a file of its own.
TuningInForce doctors(MPI_Comm comm) {
  std::array<char, 128> settings{};
  const bool several = on_several_hosts(comm);
  if (mpi_rank(comm) == 0 && !DoctorCache::is_off()) {
    const auto found = DoctorCache(DoctorCache::usual_path()).find({MpiWorld::library(), several, host_name()});
    if (found) std::strncpy(settings.data(), text(*found).c_str(), settings.size() - 1);
  }
  check_mpi(MPI_Bcast(settings.data(), static_cast<int>(settings.size()), MPI_CHAR, 0, comm), "MPI_Bcast");
  if (settings[0] == '\0') return {};
  return {tuned(settings.data()), "doctor"};
}

TuningInForce wished(TuningInForce base, const MpiWorldOptions& wish) {
  if (wish.exactly) return {*wish.exactly, "caller"};
  const std::string settings = environment("KALLIMA_TUNING");
  if (!settings.empty()) base = {tuned(settings, base.tuning), "environment"};
  if (!wish.tuning.empty()) base = {tuned(wish.tuning, base.tuning), "flag"};
  return base;
}

// Settings that are not understood may be those of one rank's environment: all must hear of it.
TuningInForce wished_by_all(MPI_Comm comm, const TuningInForce& base, const MpiWorldOptions& wish) {
  TuningInForce result;
  const Outcome mine = outcome_of([&] {
    result = wished(base, wish);
    tuned(text(result.tuning));  // throws if a number is out of range
  });
  const bool any = any_rank(comm, mine.error != nullptr);
  mine.rethrow();
  require(!any, "another rank's tuning is not understood (its settings differ from these) pass equal ones to all");
  return result;
}

}  // namespace

// Pieces are cut alike on both ends and windows are made by all ranks of a node or none.
void check_options(MPI_Comm comm, bool shared_windows, const Tuning& tuning) {
  const long long mine[] = {shared_windows ? 1 : 0, static_cast<long long>(tuning.piece_bytes), tuning.send_window,
                            tuning.receive_window, tuning.progress == ProgressBy::thread ? 1 : 0};
  constexpr int count = static_cast<int>(std::size(mine));
  long long least[count];
  long long most[count];
  check_mpi(MPI_Allreduce(mine, least, count, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(mine, most, count, MPI_LONG_LONG, MPI_MAX, comm), "MPI_Allreduce");
  const auto alike = [&](int i) { return least[i] == most[i] ? "alike" : "on some ranks only"; };
  require(std::equal(least, least + count, most),
          "MpiOptions differ between ranks (pieces of {} to {} bytes, windows of {} to {} and {} to {}, threads {}, "
          "shared windows {}) "
          "pass equal options on all of them",
          least[1], most[1], least[2], most[2], least[3], most[3], alike(4), alike(0));
}

bool on_several_hosts(MPI_Comm comm) {
  std::uint64_t first = host_identity();
  const std::uint64_t mine = first;
  check_mpi(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
  return any_rank(comm, mine != first);
}

bool crowded(MPI_Comm comm) {
  const std::uint64_t mine = machine_identity();
  std::vector<std::uint64_t> all(at(mpi_size(comm)));
  check_mpi(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm), "MPI_Allgather");
  return any_rank(comm, std::ranges::count(all, mine) > machine_cores());
}

TuningInForce tuning_in_force(MPI_Comm comm, const MpiWorldOptions& wish) {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  const bool threads = !any_rank(comm, level < MPI_THREAD_MULTIPLE);
  TuningInForce base = doctors(comm);
  if (crowded(comm)) base.tuning.poll_seconds = std::max(base.tuning.poll_seconds, poll_when_crowded);
  if (!threads) base.tuning.progress = ProgressBy::polling;  // advice, where the caller has not made room for a thread
  const TuningInForce result = wished_by_all(comm, base, wish);
  const bool any = any_rank(comm, result.tuning.progress == ProgressBy::thread);
  require(!any || threads,
          "a progress thread cannot be had (MPI was initialised for less than MPI_THREAD_MULTIPLE) call "
          "MPI_Init_thread with that, or tune with progress=polling");
  return result;
}

Tuning likely_tuning(const MpiWorldOptions& wish) {
  TuningInForce base;
  if (!DoctorCache::is_off() && DoctorCache(DoctorCache::usual_path()).asks_for_thread(MpiWorld::library()))
    base.tuning.progress = ProgressBy::thread;
  try {
    return wished(base, wish).tuning;
  } catch (const Error&) {  // told when the communicator is made, where all ranks hear of it
    return {};
  }
}

}  // namespace kallima
