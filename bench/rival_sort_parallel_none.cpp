// Stands in for rival_sort_parallel.cpp where there is no OpenMP.

#include "bench/rival_exact.hpp"

namespace kallima::cli {

bool have_parallel_sort() { return false; }
void sort_in_parallel(std::span<double>, int) {}

}  // namespace kallima::cli
