#pragma once
// One pass of a class, length and footprint, compiled by the processor's backend as any other and timed. Its lines
// stand in groups of up to 128, as they do in an array of three dimensions.

#include <chrono>
#include <memory>

#include "kallima/backend.hpp"
#include "kallima/rates.hpp"

namespace kallima {

struct PassSample {
  PassClass of;
  Index length = 1;
  bool in_place = true;
  bool meets = false;    // rows across fall into the same sets of a cache
  double footprint = 0;  // bytes of all arrays
};

// Works in memory that others used before it, since to get new one takes longer than most passes.
class PassTimer {
 public:
  PassTimer(const PassSample& sample, std::shared_ptr<std::byte> memory, std::size_t bytes);
  double bytes() const { return bytes_; }  // read and written by a run
  double run();                            // seconds of one; the clock does not tell those of microseconds
  double seconds();                        // of one, from as many as the clock needs
 private:
  double run_once();

  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<const Kernel> kernel_;
  std::shared_ptr<std::byte> memory_, tile_;
  Operands operands_;
  Progress progress_ = [] {};
  double bytes_ = 0;
  int times_ = 0;
};

// The pass itself, and bytes: read and written by a run, and that its arrays take.
struct SampledPass {
  Pass pass;
  double bytes = 0;
  double room_in = 0, room_out = 0;
};
SampledPass sampled_pass(const PassSample& sample);

}  // namespace kallima
