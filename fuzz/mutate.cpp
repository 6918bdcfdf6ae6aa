// Mutations of texts: bytes, words of the target, numbers that sit at the edge of something, pieces twice or missing.
// libFuzzer adds these to its own by calling LLVMFuzzerCustomMutator, which makes its dictionary and its corpus
// needless.

#include <algorithm>
#include <cctype>
#include <cstring>

#include "fuzz/fuzz.hpp"

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t max_size)
    __attribute__((weak));

namespace kallima::fuzz {
namespace {

std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

const std::string& any(const std::vector<std::string>& all, Random& random) { return all[below(random, all.size())]; }

const std::string& edge(Random& random) {
  static const std::vector<std::string> numbers{"0",
                                                "1",
                                                "2",
                                                "3",
                                                "4",
                                                "5",
                                                "7",
                                                "-1",
                                                "-2",
                                                "255",
                                                "65536",
                                                "1e9",
                                                "1e100",
                                                "1e308",
                                                "-1e308",
                                                "1e-320",
                                                "0.5",
                                                "2147483647",
                                                "2147483648",
                                                "-2147483648",
                                                "4294967296",
                                                "576460752303423488",
                                                "2305843009213693952",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "18446744073709551615"};
  return any(numbers, random);
}

// The number at or behind the place, if there is one, becomes another.
void change_number(std::string& text, std::size_t at, Random& random) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit);
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  text.replace(begin, end, edge(random));
}

// A target's own words, and the marks of JSON, in which most of what is read is written.
std::vector<std::string> words_and_marks() {
  std::vector<std::string> all = words();
  all.insert(all.end(), {"{", "}", "[", "]", ",", ":", "\"", "null", "true"});
  return all;
}

void mutate(std::string& text, Random& random) {
  static const std::vector<std::string> own_words = words_and_marks();
  if (text.empty()) text = any(own_words, random);
  const std::size_t at = below(random, text.size());
  switch (below(random, 10)) {
    case 0:
      text[at] = static_cast<char>(below(random, 256));
      break;
    case 1:
      text.insert(at, any(own_words, random));
      break;
    case 2:
      text.erase(at, 1 + below(random, 8));
      break;
    case 3:
      text.replace(at, 1, any(own_words, random));
      break;
    case 4:
      text.insert(below(random, text.size()), text.substr(at, below(random, 16)));
      break;
    case 5:
      text.resize(at);
      break;
    default:
      change_number(text, at, random);
      break;
  }
}

}  // namespace

std::string mutated(std::string text, Random& random) {
  for (std::size_t k = 1 + below(random, 4); k > 0; --k) mutate(text, random);
  return text;
}

}  // namespace kallima::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kallima::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  using namespace kallima::fuzz;
  static const std::vector<std::string> originals = seeds();
  Random random(seed);
  if (below(random, 3) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const bool afresh = size <= 1 || below(random, 50) == 0;
  std::string text = afresh ? any(originals, random) : std::string(reinterpret_cast<char*>(data), size);
  text = mutated(std::move(text), random).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
