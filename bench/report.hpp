#pragma once
// A BenchResult for people and for programs.

#include <cstdio>
#include <string>

#include "bench/measure.hpp"

namespace kallima::cli {

inline const char* name_of(Precision precision) { return precision == Precision::double_ ? "double" : "single"; }

void print_table(std::FILE* to, const BenchSpec& spec, const BenchResult& result);
void print_ratios(std::FILE* to, const BenchResult& result);
std::string json_text(const BenchSpec& spec, const BenchResult& result);

}  // namespace kallima::cli
