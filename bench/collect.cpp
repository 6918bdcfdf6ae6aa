// gather() moves blocks of one size, so texts travel padded to the longest.

#include "bench/collect.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace kallima::cli {

std::vector<double> gather_values(Transport& transport, double mine) {
  std::vector<double> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

double largest(Transport& transport, double mine) {
  const std::vector<double> all = gather_values(transport, mine);
  return *std::max_element(all.begin(), all.end());
}

double total(Transport& transport, double mine) {
  const std::vector<double> all = gather_values(transport, mine);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

std::vector<std::string> gather_texts(Transport& transport, const std::string& mine) {
  const std::vector<double> lengths = gather_values(transport, static_cast<double>(mine.size()));
  const auto width = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::string padded = mine;
  padded.resize(width);
  std::string all(width * lengths.size(), '\0');
  transport.gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    texts.push_back(all.substr(r * width, static_cast<std::size_t>(lengths[r])));
  return texts;
}

double seconds_of(Transport& transport, const std::function<void()>& action) {
  using Clock = std::chrono::steady_clock;
  transport.barrier();
  const auto begin = Clock::now();
  action();
  return largest(transport, std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace kallima::cli
