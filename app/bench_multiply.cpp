// `kallima bench multiply`: products of random integers, in turns with GMP's on one core. Right is what is right modulo
// two primes that no part of the product is computed by.

#include <nlohmann/json.hpp>
#include <numbers>

#include "app/bench_job.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "bench/race.hpp"
#include "bench/rival_exact.hpp"
#include "kallima/integer.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

struct MultiplyBenchFlags {
  RunFlags run;
  Index digits = 10'000'000;
  int reps = 5;
  bool modular = false;
};

struct MultiplyResult {
  Runs product = {}, gmp = {};
  double plan_s = 0, first_s = 0, bytes = 0, words_sent = 0;
  Index redone = 0;
  int ranks = 1;
  std::string explanation = {}, transport = {};
};

constexpr const char* multiply_examples = R"(Examples:
  kallima bench multiply                                    10^7 by 10^7 decimal digits on all cores
  kallima bench multiply --digits 100000000 --ranks 2       beside GMP's mpn_mul on one core, where GMP is in the build
  kallima bench multiply --ranks 3 --transport mpi --modular)";

using Words = std::span<const std::uint64_t>;

// Word `index` of a number that every rank can tell: a hash of both (splitmix64's last steps).
std::uint64_t word_of(std::uint64_t number, Index index) {
  std::uint64_t z = (number << 56) + static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fill_number(std::uint64_t number, Index first, Index words, std::span<std::uint64_t> part) {
  for (std::size_t t = 0; t < part.size(); ++t) {
    const Index index = first + static_cast<Index>(t);
    part[t] = index < words ? word_of(number, index) : 0;
  }
}

std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % p);
}

// Of a number of which this rank has the words from `first` on, modulo a prime below 2^41: sums of those are exact.
std::uint64_t remainder(Transport& transport, Words part, Index first, std::uint64_t p) {
  const std::uint64_t base = (~std::uint64_t{0} % p + 1) % p;
  std::uint64_t mine = 0, shift = 1, square = base;
  for (std::size_t t = part.size(); t-- > 0;) mine = (product_modulo(mine, base, p) + part[t] % p) % p;
  for (Index e = first; e > 0; e /= 2, square = product_modulo(square, square, p))
    if (e % 2 != 0) shift = product_modulo(shift, square, p);
  return static_cast<std::uint64_t>(total(transport, static_cast<double>(product_modulo(mine, shift, p)))) % p;
}

bool is_product(Transport& transport, Index first, Words a, Words b, Words c) {
  constexpr std::array<std::uint64_t, 2> primes{(std::uint64_t{1} << 40) - 87, (std::uint64_t{1} << 39) - 7};
  return std::ranges::all_of(primes, [&](std::uint64_t p) {
    const auto of = [&](Words part) { return remainder(transport, part, first, p); };
    const std::uint64_t expected = product_modulo(of(a), of(b), p);
    return of(c) == expected;
  });
}

MultiplyResult measured_products(const MultiplyBenchFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  const double bits = static_cast<double>(flags.digits) * std::numbers::ln10 / std::numbers::ln2;
  const Index words = static_cast<Index>(bits / 64) + 1;
  const bool has_gmp = comm.rank() == 0 && !version_of_gmp().empty();
  check_memory(transport, 20 * 8 * 2 * words / comm.size() + (has_gmp ? 4 * 8 * words : 0));
  MultiplyResult result{.ranks = comm.size(), .transport = transport.name()};
  std::optional<IntegerProduct> plan;
  const IntegerMethod method = flags.modular ? IntegerMethod::modular : IntegerMethod::automatic;
  result.plan_s = seconds_of(transport, [&] { plan.emplace(words, words, comm, IntegerOptions{.method = method}); });
  Array<std::uint64_t> a, b, c;
  std::vector<std::uint64_t> all_a, all_b, all_c;
  together(transport, [&] {
    for (Array<std::uint64_t>* const x : {&a, &b, &c}) *x = Array<std::uint64_t>(plan->local_words());
    if (has_gmp) all_a.resize(at(words)), all_b.resize(at(words)), all_c.resize(at(2 * words));
  });
  fill_number(1, plan->first_word(), words, a.span());
  fill_number(2, plan->first_word(), words, b.span());
  fill_number(1, 0, words, all_a);
  fill_number(2, 0, words, all_b);
  const auto timed = [&] { return seconds_of(transport, [&] { plan->multiply(a.span(), b.span(), c.span()); }); };
  Progress progress(comm.rank() == 0);
  progress.step("checking");
  result.first_s = timed();
  require(is_product(transport, plan->first_word(), a.span(), b.span(), c.span()),
          "the product of two numbers of {} digits is wrong modulo small primes (on {} ranks)", flags.digits,
          comm.size());
  progress.step("products in turns");
  for (int k = 0; k < flags.reps; ++k) {
    result.product.seconds.push_back(timed());
    if (version_of_gmp().empty()) continue;
    result.gmp.seconds.push_back(seconds_of(transport, [&] {
      if (has_gmp) multiply_by_gmp(all_a, all_b, all_c);
    }));
  }
  if (has_gmp) all_c.erase(all_c.begin(), all_c.begin() + static_cast<std::ptrdiff_t>(plan->first_word()));
  if (has_gmp) all_c.resize(at(plan->local_words()));
  const bool same = !has_gmp || std::ranges::equal(all_c, c.span());
  require(largest(transport, same ? 0 : 1) == 0, "the product differs from GMP's (on {} ranks)", comm.size());
  result.bytes = largest(transport, static_cast<double>(plan->memory_bytes()));
  result.words_sent = largest(transport, static_cast<double>(plan->words_sent()));
  result.redone = plan->redone();
  result.explanation = plan->explanation();
  return result;
}

void tell_products(const MultiplyBenchFlags& flags, const MultiplyResult& r) {
  std::FILE* const to = report_to(flags.run);
  fmt::print(to,
             "{0} by {0} decimal digits on {1} ranks, transport {2}: {3:.2f} ms (fastest {4:.2f}), median of {5}; "
             "checked\n{6}\nplan {7:.2f} ms, first product {8:.2f} ms, {9} done again; each rank holds {10:.1f} MB and "
             "sends {11:.1f} MB\n",
             flags.digits, r.ranks, r.transport, 1e3 * r.product.median(), 1e3 * r.product.fastest(), flags.reps,
             r.explanation, 1e3 * r.plan_s, 1e3 * r.first_s, r.redone, 1e-6 * r.bytes, 8e-6 * r.words_sent);
  if (!r.gmp.seconds.empty())
    fmt::print(to, "GMP {} on one core: {:.2f} ms (fastest {:.2f}), {:.2f} times as long; the same product\n",
               version_of_gmp(), 1e3 * r.gmp.median(), 1e3 * r.gmp.fastest(), r.gmp.median() / r.product.median());
  nlohmann::ordered_json json{{"digits", flags.digits},
                              {"ranks", r.ranks},
                              {"transport", r.transport},
                              {"explanation", r.explanation},
                              {"seconds", r.product.seconds},
                              {"plan_s", r.plan_s},
                              {"first_s", r.first_s},
                              {"redone", r.redone},
                              {"memory_bytes_per_rank", r.bytes},
                              {"words_sent_per_rank", r.words_sent}};
  if (!r.gmp.seconds.empty()) json["gmp"] = {{"version", version_of_gmp()}, {"seconds", r.gmp.seconds}};
  write_json(flags.run, json.dump(2));
}

}  // namespace

void add_bench_multiply(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<MultiplyBenchFlags>();
  CLI::App* const app = add_bench_job(bench, crew, "multiply", "Measures products of integers, beside GMP's",
                                      multiply_examples, flags, measured_products, tell_products);
  app->add_option("--digits", flags->digits, "Decimal digits of both factors; default: 10^7")
      ->check(CLI::Range(Index{1}, Index{1} << 40))
      ->type_name("D");
  app->add_flag("--modular", flags->modular, "Modulo three primes, exact by proof, instead of by rounding");
}

}  // namespace kallima::cli
