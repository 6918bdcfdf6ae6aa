#pragma once
// Runs a random transform there and back on a communicator, and says how it went.

#include "app/fuzz_case.hpp"
#include "bench/reference.hpp"

namespace kallima::cli {

// What is needed to judge a case. Made before the ranks begin, since FFTW plans on one thread at a time only.
struct FuzzTruth {
  Values in;
  Values out;
  double tolerance = 0;  // of the relative L2 error
};

FuzzTruth truth_of(const FuzzCase& it);

struct FuzzOutcome {
  std::string route = {};
  double forward = 0;  // relative errors
  double backward = 0;
  std::string wrong = {};  // empty: nothing
};

// Collective; all ranks return the same. Errors that are thrown are outcomes, too.
FuzzOutcome run_case(const FuzzCase& it, const FuzzTruth& truth, const Comm& comm);

// On threads of this process.
FuzzOutcome run_case_on_threads(const FuzzCase& it, const FuzzTruth& truth);

// What validate() says about both schedules of a case; empty: nothing.
std::string validation_of(const FuzzCase& it);

}  // namespace kallima::cli
