// LogGP by the method of Hoefler, Lichei and Rehm (Low-overhead LogGP parameter assessment for modern interconnection
// networks, IPDPS 2007), from round trips PRTT(n, d, s) of n messages of s bytes, sent d seconds apart and answered by
// one: g + s G is (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1), a line over s; the sender's overhead what is left of
// (PRTT(n,d,s) - PRTT(1,0,s)) / (n - 1) when d, longer than a round trip, is taken out; the receiver's what taking a
// message takes that has been there for a while (Kielmann, Bal and Verstoep 2000); and L half of the smallest round
// trip less both. O, the processor's time per byte, is what computing loses while messages pass both ways (as COMB
// does: Lawry, Wilson, Maccabe and Brightwell 2002). BSP's g and l are a line through total exchanges (bspbench:
// Bisseling, Parallel Scientific Computation). Every number is found several times, and its interval is theirs.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <set>

#include "kallima/calibrate.hpp"
#include "kallima/profile.hpp"
#include "lab/calibrate/undisturbed.hpp"
#include "lab/doctor/doctor_pair.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

constexpr int train = 16;        // messages in a row
constexpr int at_once = 8;       // each way,
constexpr int posted_ahead = 4;  // of these, before they have come
constexpr std::size_t long_bytes = std::size_t{1} << 20;

// The median, and half of the distance of what has five of a hundred below and above it.
Measured90 summarized(std::vector<double> values) {
  std::ranges::sort(values);
  const auto place = [&](double share) { return values[at(share * static_cast<double>(values.size() - 1))]; };
  const double middle = std::max(0.0, median_of(values));
  return {middle, middle > 0 ? (place(0.95) - place(0.05)) / 2 / middle : 0};
}

struct StraightLine {
  double offset = 0, slope = 0;
};

StraightLine fitted(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) {
    const double w = 1 / std::max(1e-18, b * b);  // so that short times count as much as long ones
    n += w;
    x += w * a;
    y += w * b;
    xx += w * a * a;
    xy += w * a * b;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, slope};
}

// Takes what has come, to where it is to be, and lets go of what has been sent.
void finish_some(Transport& transport, std::vector<std::pair<Request, std::byte*>>& requests, std::size_t bytes) {
  std::erase_if(requests, [&](const auto& it) {
    if (!transport.test(it.first)) return false;
    if (it.second != nullptr && transport.data(it.first) != it.second)
      std::memcpy(it.second, transport.data(it.first), bytes);
    transport.release(it.first);
    return true;
  });
}

// Two ranks at their work, and the others, who wait.
class Couple {
 public:
  Couple(Transport& transport, int first, int second) : transport_(transport) {
    role_ = transport.rank() == first ? 0 : transport.rank() == second ? 1 : -1;
    peer_ = role_ == 0 ? second : first;
    if (role_ >= 0) memory_.resize(std::size_t{4} << 20);
  }

  // PRTT(n, d, s), of the first rank; 0 on others. Collective.
  double round_trip(int messages, double delay_s, std::size_t bytes) {
    come_together();
    const auto begin = Clock::now();
    if (role_ == 0) {
      for (int i = 0; i < messages; ++i) {
        if (i > 0) wait(delay_s);
        send(i, bytes);
      }
      take(expect(messages, 1), messages, 1);
    } else if (role_ == 1) {
      take_all(messages, bytes);
      send(messages, 1);
    }
    while (!sends_.empty()) finish_oldest();
    return role_ == 0 ? since(begin) : 0;
  }

  // What the second rank is busy with when a message is taken that has been there for a while. Collective.
  double taking(std::size_t bytes, double patience_s) {
    come_together();
    double seconds = 0;
    if (role_ == 0) {
      send(0, bytes);
      finish_oldest();
    } else if (role_ == 1) {
      const Request request = transport_.post_recv(peer_, 0, std::span(memory_).first(bytes));
      const auto posted = Clock::now();
      while (since(posted) < patience_s) continue;
      const auto begin = Clock::now();
      while (!transport_.test(request)) continue;
      transport_.release(request);
      seconds = since(begin);
    }
    return std::ranges::max(gathered(transport_, seconds));
  }

  // What both ranks lose of their time to so many messages each way, looking at them as often as transforms do; 0 on
  // others. Collective.
  double lost_to(int messages, std::size_t bytes) {
    come_together();
    if (role_ < 0) return 0;
    room_.resize(2 * at(messages) * bytes);
    constexpr int some = 50;
    double unit = 1e9;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto begin = Clock::now();
      for (int i = 0; i < some; ++i) work();
      unit = std::min(unit, since(begin) / some);
    }
    const auto begin = Clock::now();
    std::vector<std::pair<Request, std::byte*>> requests;  // and where it is to be, of what is received
    for (int i = 0; i < messages; ++i) {
      const std::span<std::byte> landing = std::span(room_).subspan(at(2 * i) * bytes, bytes);
      const std::span<std::byte> block = std::span(room_).subspan(at(2 * i + 1) * bytes, bytes);
      requests.emplace_back(transport_.post_recv(peer_, i, landing), landing.data());
      requests.emplace_back(transport_.post_send(peer_, i, block), nullptr);
    }
    int units = 0;
    for (auto polled = begin; !requests.empty(); ++units) {
      work();
      if (since(polled) < transport_.tuning().poll_seconds) continue;
      finish_some(transport_, requests, bytes);
      polled = Clock::now();
    }
    return since(begin) - units * unit;
  }

 private:
  void come_together() {
    if (role_ >= 0) await_calm();
    transport_.barrier();
  }
  // Some microseconds of it, which need no memory.
  void work() {
    for (int i = 0; i < 4000; ++i) value_ = value_ * 0.999999 + 1e-9;
    __asm__ volatile("" : : "r"(&value_) : "memory");
  }
  static void wait(double seconds) {
    const auto begin = Clock::now();
    while (since(begin) < seconds) continue;
  }
  void send(int tag, std::size_t bytes) {
    sends_.push_back(transport_.post_send(peer_, tag, std::span(memory_).first(bytes)));
    if (std::ssize(sends_) > at_once) finish_oldest();
  }
  void finish_oldest() {  // others are still under way: the link never waits for us
    while (!transport_.test(sends_.front())) transport_.idle();
    transport_.release(sends_.front());
    sends_.pop_front();
  }
  std::span<std::byte> landing(int tag, std::size_t bytes) {
    return std::span(memory_).subspan(at(tag % posted_ahead) * bytes, bytes);
  }
  Request expect(int tag, std::size_t bytes) { return transport_.post_recv(peer_, tag, landing(tag, bytes)); }
  // What is only shown is copied, as one would who wants to keep it.
  void take(Request request, int tag, std::size_t bytes) {
    while (!transport_.test(request)) transport_.idle();
    const std::byte* const block = transport_.data(request);
    std::byte* const mine = landing(tag, bytes).data();
    if (block != mine) std::memcpy(mine, block, bytes);
    transport_.release(request);
  }
  void take_all(int messages, std::size_t bytes) {
    std::deque<Request> posted;
    for (int i = 0, next = 0; i < messages; ++i) {
      for (; next < std::min(messages, i + posted_ahead); ++next) posted.push_back(expect(next, bytes));
      take(posted.front(), i, bytes);
      posted.pop_front();
    }
  }

  Transport& transport_;
  int role_ = -1, peer_ = 0;
  std::vector<std::byte> memory_, room_;
  std::deque<Request> sends_;
  double value_ = 1;
};

// Each rank sends everybody a block of so many bytes: seconds of the slowest. Collective.
double total_exchange(Transport& transport, std::size_t bytes, std::vector<std::byte>& memory) {
  const std::size_t ranks = at(transport.size());
  memory.resize(std::max<std::size_t>(1, 2 * ranks * bytes));
  await_calm();
  transport.barrier();
  const auto begin = Clock::now();
  std::vector<std::pair<Request, std::byte*>> requests;  // and where it is to be, of what is received
  for (std::size_t i = 1; i < ranks; ++i) {
    const int to = static_cast<int>((at(transport.rank()) + i) % ranks);
    const int from = static_cast<int>((at(transport.rank()) + ranks - i) % ranks);
    const std::span<std::byte> landing = std::span(memory).subspan((ranks + i) * bytes, bytes);
    requests.emplace_back(transport.post_recv(from, 0, landing), landing.data());
    requests.emplace_back(transport.post_send(to, 0, std::span(memory).subspan(i * bytes, bytes)), nullptr);
  }
  while (!requests.empty()) {
    finish_some(transport, requests, bytes);
    if (!requests.empty()) transport.idle();
  }
  transport.barrier();
  return std::ranges::max(gathered(transport, since(begin)));
}

// bspbench's: y += a x, over arrays that fit a cache.
double flops_per_second() {
  constexpr std::size_t n = 1024;
  std::vector<double> x(n, 1), y(n, 0);
  double best = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    constexpr int times = 200;
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i) {
      const double a = 1e-9 * i;
      for (std::size_t k = 0; k < n; ++k) y[k] += a * x[k];
      __asm__ volatile("" : : "r"(y.data()) : "memory");  // or one round would do
    }
    best = std::max(best, 2.0 * n * times / since(begin));
  }
  return best;
}

class PairFinder {
 public:
  PairFinder(Transport& transport, int first, int second, Joined joined, const CalibrateOptions& options)
      : transport_(transport), couple_(transport, first, second), options_(options) {
    pair_.joined = joined;
    rounds_ = options.thoroughness == Thoroughness::quick ? 5 : 11;
  }

  PairRates find() {
    couple_.round_trip(train, 0, 4096);  // connections are made when they are first used
    find_loggp();
    find_bsp();
    return pair_;
  }

 private:
  double shared(double mine) { return std::ranges::max(gathered(transport_, mine)); }
  double best_of(int times, const std::function<double()>& measure) {
    double best = 1e9;
    for (int i = 0; i < times; ++i) best = std::min(best, shared(measure()));
    return best;
  }

  void find_loggp() {
    std::vector<double> L, o, taken, g, G, O, alpha, beta;
    const double once = best_of(20, [&] { return couple_.round_trip(1, 0, 1); });
    for (int round = 0; round < rounds_; ++round) {
      const double single = best_of(7, [&] { return couple_.round_trip(1, 0, 1); });
      const double delay = 2 * std::max(once, 2e-6);
      const double spaced = best_of(3, [&] { return couple_.round_trip(train, delay, 1); });
      o.push_back(std::clamp((spaced - single) / (train - 1) - delay, 0.0, single / 4));
      taken.push_back(std::min(single / 4, best_of(3, [&] { return couple_.taking(1, 5 * delay); })));
      L.push_back(std::max(0.0, single / 2 - o.back() - taken.back()));
      gaps(g, G);
      O.push_back(
          std::max(0.0, best_of(2, [&] { return couple_.lost_to(at_once, long_bytes); }) / (2 * at_once * long_bytes)));
      const double large = best_of(2, [&] { return couple_.round_trip(1, 0, std::size_t{1} << 20); });
      beta.push_back(std::max(0.0, large - single) / (1 << 20));
      alpha.push_back(single / 2);
    }
    pair_.L = summarized(L);
    pair_.o_send = summarized(o);
    pair_.o_receive = summarized(taken);
    pair_.g = summarized(g);
    pair_.G = summarized(G);
    pair_.O = summarized(O);
    pair_.alpha = summarized(alpha);
    pair_.beta = summarized(beta);
  }

  // g from the shortest messages. G from a long train and a longer one, which differ by what no buffer or burst of a
  // limited link takes in.
  void gaps(std::vector<double>& g, std::vector<double>& G) {
    const auto gap = [&](std::size_t bytes, int few, int more, int times) {
      const double short_train = best_of(times, [&] { return couple_.round_trip(few, 0, bytes); });
      const double long_train = best_of(times, [&] { return couple_.round_trip(more, 0, bytes); });
      return std::max(0.0, long_train - short_train) / (more - few);
    };
    std::vector<std::pair<double, double>> points;
    for (const std::size_t kib : {256, 1024})
      points.emplace_back(1024.0 * static_cast<double>(kib), gap(kib * 1024, train, 3 * train, 1));
    g.push_back(gap(1, 1, train, 5));
    G.push_back(std::max(0.0, fitted(points).slope));
  }

  void find_bsp() {
    pair_.bsp_r = shared(flops_per_second());
    std::vector<std::byte> memory;
    std::vector<double> g, l;
    const auto others = static_cast<std::size_t>(std::max(1, transport_.size() - 1));
    for (int round = 0; round < rounds_; ++round) {
      std::vector<std::pair<double, double>> points;
      for (const std::size_t h : {0, 64, 256, 1024, 4096, 16384}) {
        const std::size_t block = h / others * sizeof(double);
        double best = 1e9;
        for (int i = 0; i < 5; ++i) best = std::min(best, total_exchange(transport_, block, memory));
        points.emplace_back(static_cast<double>(block * others) / sizeof(double), best);
      }
      const StraightLine line = fitted(points);
      g.push_back(std::max(0.0, line.slope * pair_.bsp_r));
      l.push_back(std::max(0.0, line.offset * pair_.bsp_r));
    }
    pair_.bsp_g = summarized(g);
    pair_.bsp_l = summarized(l);
    for (std::size_t block = 1024; block <= (std::size_t{1} << 20); block *= 4) {
      double best = 1e9;
      for (int i = 0; i < 5; ++i) best = std::min(best, total_exchange(transport_, block, memory));
      pair_.all_to_all.emplace_back(block, static_cast<double>(block * others) / best);
    }
  }

  Transport& transport_;
  Couple couple_;
  const CalibrateOptions& options_;
  PairRates pair_;
  int rounds_ = 11;
};

struct Home {
  std::uint64_t host = 0, process = 0;
};

}  // namespace

bool hosts_share_cores(const Comm& comm) {
  const auto hosts = gathered(comm.transport(), host_identity()),
             machines = gathered(comm.transport(), machine_identity());
  return std::ranges::count(hosts, hosts[0]) < std::ranges::count(machines, machines[0]);
}

std::vector<PairRates> calibrate_pairs(const Comm& comm, const CalibrateOptions& options) {
  Transport& transport = comm.transport();
  const std::vector<Home> homes = gathered(transport, Home{host_identity(), static_cast<std::uint64_t>(::getpid())});
  std::vector<PairRates> all;
  std::set<Joined> seen;
  for (int peer = 1; peer < transport.size(); ++peer) {
    const Joined joined = homes[at(peer)].host != homes[0].host                       ? Joined::hosts
                          : homes[at(peer)].process == homes[0].process               ? Joined::threads
                          : gathered(transport, transport.sees(peer) ? 1 : 0)[0] == 1 ? Joined::views
                                                                                      : Joined::node;
    if (!seen.insert(joined).second) continue;
    options.say(0.9, "messages, " + std::string(name(joined)));
    all.push_back(PairFinder(transport, 0, peer, joined, options).find());
  }
  return all;
}

}  // namespace kallima
