#pragma once
// What products and sorts are measured against, on one core or on the threads of one process.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kallima::cli {

std::string version_of_gmp();  // empty: GMP is not in this build
// The product of two numbers in words of 64 bits, lowest first, as long as both together.
void multiply_by_gmp(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                     std::span<std::uint64_t> product);

void sort_by_std(std::span<double> numbers);
bool have_parallel_sort();  // libstdc++'s, which needs OpenMP
void sort_in_parallel(std::span<double> numbers, int threads);

}  // namespace kallima::cli
