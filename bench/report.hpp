#pragma once
// A BenchResult for people and for programs.

#include <cstdio>
#include <string>

#include "bench/measure.hpp"

namespace kallima::cli {

void print_table(std::FILE* to, const BenchSpec& spec, const BenchResult& result);
void print_ratios(std::FILE* to, const BenchResult& result);
std::string json_text(const BenchSpec& spec, const BenchResult& result);

}  // namespace kallima::cli
