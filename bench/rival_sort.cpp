#include <algorithm>

#include "bench/rival_exact.hpp"

namespace kallima::cli {

void sort_by_std(std::span<double> numbers) { std::sort(numbers.begin(), numbers.end()); }

}  // namespace kallima::cli
