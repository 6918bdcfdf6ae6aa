// A fuzzer for machines without libFuzzer: runs the target over the files it is given, or over random mutations of its
// seeds. `npy_fuzz 100000` does so many iterations, always the same ones; `npy_fuzz 100000 7` others. An input that
// ends the process is shown.

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "fuzz/fuzz.hpp"

namespace {

using namespace kallima::fuzz;

std::string current;

void show_input(int signal) {
  const bool shown = ::write(STDERR_FILENO, current.data(), current.size()) >= 0;
  std::signal(signal, SIG_DFL);
  if (shown) std::raise(signal);
  std::_Exit(1);
}

void run(std::string input) {
  current = std::move(input);
  check(current);
}

std::optional<long> number(const char* text) {
  const std::string all = text;
  long value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error != std::errc{} || end != all.data() + all.size()) return std::nullopt;
  return value;
}

void run_mutations(long iterations, long seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const std::vector<std::string> originals = seeds();
  for (const std::string& text : originals) run(text);
  for (long i = 0; i < iterations; ++i) run(mutated(originals[static_cast<std::size_t>(i) % originals.size()], random));
}

void run_file(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  must(stream.good(), "a file that is named can be read");
  run({std::istreambuf_iterator<char>(stream), {}});
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, show_input);
  const std::optional<long> iterations = argc > 1 ? number(argv[1]) : 200000;
  if (iterations)
    run_mutations(*iterations, argc > 2 ? number(argv[2]).value_or(1) : 1);
  else
    for (int i = 1; i < argc; ++i) run_file(argv[i]);
  return 0;
}
