// A fuzzer of a hundred lines for machines without libFuzzer: runs the target over the files it is given, or over
// random mutations of built-in seeds. `npy_fuzz 100000` does so many iterations, always the same ones.

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>

#include "app/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

using Random = std::mt19937_64;

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

std::vector<std::string> seeds() {
  using namespace kallima::cli;
  using kallima::Shape;
  std::vector<std::string> result;
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{31, 33, 35}, Shape{4294967296, 65536}, Shape(64, 1)})
    for (const ArrayOrder order : {ArrayOrder::c, ArrayOrder::fortran})
      result.push_back(npy_header({.bytes = ByteOrder::big, .order = order, .shape = shape}));
  return result;
}

std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

// Pieces that mean something to the parser get further into it than random bytes.
std::string word(Random& random) {
  static const std::vector<std::string> words{"(",
                                              ")",
                                              "{",
                                              "}",
                                              ",",
                                              ":",
                                              "'",
                                              "\"",
                                              "True",
                                              "False",
                                              "'<f4'",
                                              "'>c16'",
                                              "'descr'",
                                              "'shape'",
                                              "-1",
                                              "0",
                                              "9999999999999999999",
                                              "L",
                                              "[",
                                              "\n",
                                              " ",
                                              "4294967296",
                                              "288230376151711744",
                                              "\xff"};
  return words[below(random, words.size())];
}

void mutate(std::string& text, Random& random) {
  if (text.empty()) text = "\x93NUMPY";
  const std::size_t at = below(random, text.size());
  switch (below(random, 6)) {
    case 0:
      text[at] = static_cast<char>(below(random, 256));
      break;
    case 1:
      text.insert(at, word(random));
      break;
    case 2:
      text.erase(at, 1 + below(random, 8));
      break;
    case 3:
      text.replace(at, 1, word(random));
      break;
    case 4:
      text.insert(below(random, text.size()), text.substr(at, below(random, 16)));
      break;
    default:
      text.resize(at);
      break;
  }
}

// Most mutations break the length field, behind which the parser would never look; half of the time it is set right.
void repair_length(std::string& text) {
  if (text.size() < 12 || text[6] != 1) return;
  const std::size_t length = text.size() - 10;
  text[8] = static_cast<char>(length & 0xff);
  text[9] = static_cast<char>((length >> 8) & 0xff);
}

void run_mutations(long iterations) {
  Random random(1);
  const std::vector<std::string> originals = seeds();
  for (long i = 0; i < iterations; ++i) {
    std::string text = originals[below(random, originals.size())];
    for (std::size_t k = 1 + below(random, 5); k > 0; --k) mutate(text, random);
    if (below(random, 2) == 0) repair_length(text);
    run(text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    long iterations = 0;
    const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), iterations);
    if (error == std::errc{} && end == argument.data() + argument.size()) {
      run_mutations(iterations);
      continue;
    }
    std::ifstream stream(argument, std::ios::binary);
    if (!stream) {
      std::fprintf(stderr, "npy_fuzz: cannot read %s\n", argument.c_str());
      return 1;
    }
    run({std::istreambuf_iterator<char>(stream), {}});
  }
  if (argc < 2) run_mutations(200000);
  return 0;
}
