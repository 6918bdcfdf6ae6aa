#include <parallel/algorithm>

#include "bench/rival_exact.hpp"

namespace kallima::cli {

bool have_parallel_sort() { return true; }

void sort_in_parallel(std::span<double> numbers, int threads) {
  const __gnu_parallel::default_parallel_tag tag(static_cast<__gnu_parallel::_ThreadIndex>(threads));
  __gnu_parallel::sort(numbers.begin(), numbers.end(), std::less<>(), tag);
}

}  // namespace kallima::cli
