// Sizes follow from what the path can do: an exchange is made to last about 60 ms, long against any latency and short
// enough that some hundred of them take a few seconds. Whoever else uses the machine only ever makes things slower, so
// the fastest of a few attempts counts. What was found is kept in the file that every MPI run looks into.

#include "kallima/doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/check.hpp"
#include "lab/doctor/doctor_pair.hpp"
#include "transport/doctor_cache.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t most_bytes = 64 * mib;
constexpr int attempts = 3;
constexpr std::size_t whole_message = std::size_t{1} << 30;  // a piece so large that every message is one

double least_of(int times, const auto& seconds) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) least = std::min(least, seconds());
  return least;
}

class Doctor {
 public:
  Doctor(const Comm& comm, const Examination& how) : comm_(comm), how_(how) {}

  Findings examine() {
    how_.say("the path between the ranks");
    find_path();
    if (f_.path == PathKind::threads) return f_;
    find_size_and_network();
    how_.say("pieces and windows");
    find_rates();
    how_.say("one direction alone");
    find_limits();
    how_.say("what goes on while a rank computes");
    find_hidden();
    return f_;
  }

 private:
  void find_path() {
    struct Home {
      std::uint64_t host, process;
    };
    const auto all = gathered(comm_.transport(), Home{host_identity(), static_cast<std::uint64_t>(::getpid())});
    std::set<std::uint64_t> hosts;
    for (const Home& home : all) hosts.insert(home.host);
    f_.hosts = static_cast<int>(hosts.size());
    const Home& partner = all[all.size() / 2];
    const bool one_host = partner.host == all[0].host;
    bool is_view = false;
    Pair pair(comm_);
    f_.handover_s = least_of(attempts, [&] { return pair.handover(mib, is_view); });
    f_.path = !one_host                           ? PathKind::host_messages
              : !is_view                          ? PathKind::node_messages
              : partner.process == all[0].process ? PathKind::threads
                                                  : PathKind::shared_memory;
  }

  // How much to exchange; and whether the bytes pass the kernel's network, as TCP's do, or go another way.
  void find_size_and_network() {
    Pair pair(how_.with_tuning({}));
    pair.exchange(mib, Ways::both);  // connections are made when they are first used
    for (double cpu = 0; bytes_ < most_bytes; bytes_ *= 2)
      if (least_of(2, [&] { return pair.polled_exchange(bytes_, cpu); }) >= how_.exchange_seconds) break;
    const ReceivedBytes before = received_bytes();
    pair.exchange(bytes_, Ways::both);
    const auto [interface, bytes] = busiest(before, received_bytes());
    const bool seen = bytes > 0.8 * static_cast<double>(bytes_);
    f_.network = seen ? Medium::tcp : f_.path == PathKind::host_messages ? Medium::unknown : Medium::memory;
    if (seen) f_.interface = interface;
  }

  ExchangeRate rate_with(const Tuning& tuning) const {
    double cpu = 0;
    const double seconds = Pair(how_.with_tuning(tuning)).polled_exchange(bytes_, cpu);
    const auto bytes = static_cast<double>(bytes_);
    return {tuning, bytes / seconds, cpu / bytes * 1e9};
  }

  // The best of a first round, and the usual tuning, meet again in several, so that chance does not choose.
  void find_rates() {
    for (const std::size_t piece : {mib / 64, 63 * mib / 1024, mib / 8, mib / 4, mib})
      for (const int window : {2, 4, 8})
        for (const int receive : {window, 2 * window})
          f_.rates.push_back(rate_with({.piece_bytes = piece, .send_window = window, .receive_window = receive}));
    std::ranges::sort(f_.rates, std::greater(), &ExchangeRate::bytes_per_s);
    for (int i = 0; i < attempts; ++i)
      for (std::size_t k = 0; k < f_.rates.size(); ++k)
        if (ExchangeRate& rate = f_.rates[k]; k < 6 || rate.tuning == Tuning{})
          rate = std::ranges::max(rate, rate_with(rate.tuning), {}, &ExchangeRate::bytes_per_s);
    tuning_ = best_of(f_.rates, Tuning{}.piece_bytes).tuning;
  }

  void find_limits() {
    Pair pair(how_.with_tuning(tuning_));
    f_.one_way_bytes_per_s =
        static_cast<double>(bytes_) / least_of(attempts, [&] { return pair.exchange(bytes_, Ways::one); });

    Pair single(how_.with_tuning({.piece_bytes = whole_message}));
    for (std::size_t bytes = 1024; bytes <= 8 * mib; bytes = 2 * bytes + 1024) {  // leaves room for a library's header
      const double patience = 0.03 + 2 * static_cast<double>(bytes) / f_.one_way_bytes_per_s;
      if (!single.leaves_alone(bytes, patience) && !single.leaves_alone(bytes, patience)) return;
      f_.alone_bytes = bytes;
    }
  }

  double hidden_with(const Tuning& tuning, double poll_seconds) {
    Pair pair(how_.with_tuning(tuning));
    const double communication = least_of(attempts, [&] { return pair.exchange(bytes_, Ways::both); });
    double work = std::numeric_limits<double>::infinity();
    const double both = least_of(attempts, [&] {  // in turns, so that whoever else uses the machine slows down both
      work = std::min(work, pair.with_work(0, communication, 0, work_));
      return pair.with_work(bytes_, communication, poll_seconds, work_);
    });
    return (communication + work - both) / std::min(communication, work);
  }

  void find_hidden() {
    Tuning alone = tuning_;
    alone.piece_bytes = whole_message;
    f_.hidden_alone = hidden_with(alone, 0);
    for (const double cadence : {20e-6, 50e-6, 100e-6, 200e-6})
      f_.hidden_by_polling.push_back({cadence, hidden_with(tuning_, cadence)});
    Tuning thread = tuning_;
    thread.progress = ProgressBy::thread;
    try {
      f_.hidden_by_thread = hidden_with(thread, 0);
    } catch (const Error&) {  // on all ranks alike: this MPI has no room for one
    }
    f_.processor_share = -Pair(comm_).largest_of_all(-work_.processor_share());
  }

  Comm comm_;
  const Examination& how_;
  SteadyWork work_;
  Findings f_{.library = how_.library, .remedy = how_.remedy, .ranks = comm_.size()};
  std::size_t bytes_ = mib;
  Tuning tuning_;
};

}  // namespace

Findings examine(const Comm& comm, const Examination& how) {
  require(comm.size() >= 2, "there is nothing to examine (one rank exchanges with nobody) use two ranks or more");
  return Doctor(comm, how).examine();
}

std::string keep(const Findings& findings, const Diagnosis& diagnosis) {
  if (DoctorCache::is_off()) return "";
  const DoctorCache cache(DoctorCache::usual_path());
  cache.save({findings.library, findings.hosts > 1, host_name()}, diagnosis.tuning, diagnosis.found);
  return cache.path();
}

bool forget(const std::string& library) {
  const DoctorCache cache(DoctorCache::usual_path());
  bool any = false;
  for (const bool several : {false, true}) any = cache.forget({library, several, host_name()}) || any;
  return any;
}

}  // namespace kallima
