#pragma once
// Kernels by themselves: lines of many lengths, side by side with FFTW's and with what the machine could do at best.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/fftw_build.hpp"
#include "bench/line_rivals.hpp"

namespace kallima::cli {

struct KernelSpec {
  std::vector<Index> lengths = {};
  Precision precision = Precision::double_;
  int reps = 10;
  Index out_of_cache_bytes = 0;  // of both arrays together; 0: twice what the last cache holds
};

// The names of what follows are those in the JSON, which is also how a process tells another what it has measured.
struct LineTimes {
  double ns_per_point = 0;  // the median of all runs
  double min_ns_per_point = 0;
  double share = 0;  // of the roofline
  double error = 0;
};

struct KernelRow {
  Index length = 0;
  Index lines = 0;
  std::string access = {};  // contiguous, strided
  std::string memory = {};  // in cache, out of cache
  double roofline_ns = 0;   // the least time for a point
  LineTimes kallima = {};
  LineTimes fftw = {};  // zeros, like the ratio: it is not in this build
  double ratio = 0;     // FFTW's time over Kallima's
};

struct KernelSet {
  std::string isa = {};
  double peak_gflops = 0;
  double cache_gb_per_s = 0;   // read and written by a copy in cache,
  double memory_gb_per_s = 0;  // and out of it
  Index in_cache_bytes = 0;    // of both arrays together, where a line and its neighbours need no more
  Index out_of_cache_bytes = 0;
  std::vector<KernelRow> rows = {};
};

struct KernelReport {
  Precision precision = Precision::double_;
  int reps = 0;
  FftwBuild fftw = {};
  std::vector<KernelSet> sets = {};
};

// With the instruction set in use. `say` is called with what is being done.
KernelSet measure_kernels(const KernelSpec& spec, const std::function<void(const std::string&)>& say);

std::string kernel_table(const KernelReport& report);
std::string kernel_json(const KernelReport& report);
KernelSet kernel_set_from(const nlohmann::json& report);  // the first one in it
std::string kernel_picture(const KernelReport& report);   // SVG

}  // namespace kallima::cli
