// `kallima bench ntt`: transforms modulo a prime in turns with complex ones of as many points, and what they send
// beside what a link needs for that.

#include <nlohmann/json.hpp>
#include <random>

#include "app/bench_job.hpp"
#include "app/link_rate.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "bench/race.hpp"
#include "kallima/memory.hpp"
#include "kallima/ntt.hpp"

namespace kallima::cli {
namespace {

struct NttFlags {
  RunFlags run;
  Index points = Index{1} << 24;
  int reps = 10;
  std::string rate = "none";
};

struct NttResult {
  Runs ntt = {}, complex = {};
  int ranks = 1, exchanges = 0;
  Index words_sent = 0;  // of 8 bytes, by the busiest rank
  double wire_s = 0;     // what its link takes for these
  std::string route = {}, transport = {};
};

constexpr const char* ntt_examples = R"(Examples:
  kallima bench ntt                                                2^24 residues on all cores
  kallima bench ntt --points 15728640 --ranks 4 --transport mpi
  kallima netlab --hosts 2 --rate 1gbit -- bench ntt --rate 1gbit   beside what the link takes for what is sent)";

NttResult measured_ntt(const NttFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  const LinkRate rate = parse_rate(flags.rate);
  check_memory(transport, 8 * 10 * flags.points / comm.size());
  const Problem problem{.shape = {flags.points}};
  Ntt ntt(problem, comm);
  Fft<double> fft(problem, comm);
  Array<std::uint64_t> numbers, there, back;
  Array<std::complex<double>> z, spectrum;
  Array<double> x, y;
  together(transport, [&] {
    x = Array<double>(ntt.local_size_in());
    y = Array<double>(ntt.local_size_out());
    z = Array<std::complex<double>>(fft.local_size_in());
    spectrum = Array<std::complex<double>>(fft.local_size_out());
    for (Array<std::uint64_t>* const a : {&numbers, &there, &back}) *a = Array<std::uint64_t>(ntt.local_size_in());
  });
  std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
  for (Index t = 0; t < numbers.size(); ++t) x[t] = static_cast<double>(numbers[t] = random() % ntt.prime());
  Progress progress(comm.rank() == 0);
  progress.step("checking");
  ntt.forward(numbers.span(), there.span());
  ntt.backward(there.span(), back.span());
  const bool right = std::ranges::equal(numbers.span(), back.span());
  require(largest(transport, right ? 0 : 1) == 0, "{} residues do not come back as they went in (on {} ranks)",
          flags.points, comm.size());
  progress.step("residues and complex numbers in turns");
  NttResult result{.ranks = comm.size(), .exchanges = ntt.plan().exchanges(), .transport = transport.name()};
  result.route = ntt.plan().options().route;
  for (int k = -1; k < flags.reps; ++k) {  // the first time warms up
    const double residues = seconds_of(transport, [&] { ntt.forward(x.span(), y.span()); });
    const double complex = seconds_of(transport, [&] { fft.forward(z.span(), spectrum.span()); });
    if (k < 0) continue;
    result.ntt.seconds.push_back(residues);
    result.complex.seconds.push_back(complex);
  }
  const auto sent = static_cast<double>(ntt.plan().traffic(comm.rank(), Direction::forward).words);
  result.words_sent = static_cast<Index>(largest(transport, sent));
  if (rate.limited())
    result.wire_s = 64 * static_cast<double>(result.words_sent) / static_cast<double>(rate.bits_per_second);
  return result;
}

void tell_ntt(const NttFlags& flags, const NttResult& r) {
  const double points = static_cast<double>(flags.points);
  const auto ns = [&](const Runs& runs) { return 1e9 * runs.median() / points; };
  std::FILE* const to = report_to(flags.run);
  fmt::print(to,
             "{} residues modulo {} on {} ranks, transport {}, route {}: {:.2f} ms, {:.2f} ns a point (fastest {:.2f} "
             "ms, median of {}); checked\n"
             "complex doubles: {:.2f} ms, {:.2f} ns a point\n"
             "{} exchange(s); the busiest rank sends {} words of 8 bytes\n",
             flags.points, ntt_primes[0], r.ranks, r.transport, r.route, 1e3 * r.ntt.median(), ns(r.ntt),
             1e3 * r.ntt.fastest(), flags.reps, 1e3 * r.complex.median(), ns(r.complex), r.exchanges, r.words_sent);
  if (r.wire_s > 0)
    fmt::print(to, "a link of {} takes {:.2f} ms for that: the transform {:.2f} times as long\n", flags.rate,
               1e3 * r.wire_s, r.ntt.median() / r.wire_s);
  nlohmann::ordered_json json{{"points", flags.points},
                              {"prime", ntt_primes[0]},
                              {"ranks", r.ranks},
                              {"transport", r.transport},
                              {"route", r.route},
                              {"seconds", r.ntt.seconds},
                              {"complex_seconds", r.complex.seconds},
                              {"ns_per_point", ns(r.ntt)},
                              {"complex_ns_per_point", ns(r.complex)},
                              {"exchanges", r.exchanges},
                              {"words_sent", r.words_sent}};
  if (r.wire_s > 0) json["wire_s"] = r.wire_s;
  write_json(flags.run, json.dump(2));
}

}  // namespace

void add_bench_ntt(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<NttFlags>();
  CLI::App* const app = add_bench_job(bench, crew, "ntt", "Measures transforms modulo a prime beside complex ones",
                                      ntt_examples, flags, measured_ntt, tell_ntt);
  app->add_option("--points", flags->points, "2^a, 3 2^a, 5 2^a or 15 2^a of them; default: 2^24")
      ->check(CLI::Range(Index{1}, Index{1} << 40))
      ->type_name("N");
  app->add_option("--rate", flags->rate, "Of the links between hosts (500mbit, 1gbit): to compare with what they need")
      ->type_name("RATE");
}

}  // namespace kallima::cli
