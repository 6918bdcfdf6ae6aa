#include "app/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kallima::cli {
namespace {

// The optimal string alignment distance, three rows of its table at a time.
std::size_t changes(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, letters / 3) + 1;
  for (const std::string& candidate : known)
    if (const std::size_t n = changes(word, candidate); n < fewest) {
      fewest = n;
      best = candidate;
    }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", near);
}

}  // namespace kallima::cli
