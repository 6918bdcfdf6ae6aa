#include "kallima/stopwatch.hpp"

#include <algorithm>
#include <map>

#include "transport/host.hpp"

namespace kallima {
namespace {

struct Span {
  std::uint64_t machine = 0;
  double begin = 0, end = 0;
};

double seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

double seconds_together(Transport& transport, std::chrono::steady_clock::time_point begin) {
  static const std::uint64_t here = machine_identity();
  const Span mine{here, seconds(begin), seconds(std::chrono::steady_clock::now())};
  std::map<std::uint64_t, Span> all;
  double most = 0;
  for (const Span& it : gathered(transport, mine)) {
    Span& together = all.try_emplace(it.machine, it).first->second;
    together.begin = std::min(together.begin, it.begin);
    together.end = std::max(together.end, it.end);
    most = std::max(most, together.end - together.begin);
  }
  return most;
}

}  // namespace kallima
