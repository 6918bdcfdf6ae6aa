#pragma once
// What one core of this machine could do at best, measured where everything else is measured: multiplications and
// additions with the vectors of an instruction set, and bytes copied. A transform of n points takes 5 n log2 n of the
// former and moves every point in and out at least once, and so no less time than the roofline (Williams, Waterman and
// Patterson, CACM 2009) leaves it.

#include <string>

#include "kallima/types.hpp"

namespace kallima::cli {

struct CacheSizes {  // of one core's own and of the last one, in bytes
  Index own = 0;
  Index last = 0;
};

CacheSizes cache_sizes();  // as the system tells, or what most have

double peak_flops(const std::string& isa, Precision precision);  // a second

// Read and written in a second by a copy from one half of so many bytes to the other.
double copy_rate(Index bytes);

// The least time for each point of lines of that length.
double roofline_ns(Index length, Precision precision, double flops_per_s, double bytes_per_s);

}  // namespace kallima::cli
