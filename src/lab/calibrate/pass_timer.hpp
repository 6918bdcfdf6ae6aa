#pragma once
// One pass of a class, length and footprint, compiled by the processor's backend as any other and timed. Its lines
// stand in groups of up to 128, as they do in an array of three dimensions. Of large arrays a run is a part only: all
// parts have their turn, so that each was touched as long ago as with runs over the whole.

#include <chrono>
#include <memory>

#include "kallima/backend.hpp"
#include "kallima/rates.hpp"
#include "machine/rates/pass_prices.hpp"

namespace kallima {

struct PassSample {
  PassClass of;
  Index length = 1;
  bool in_place = true;
  bool meets = false;         // rows across fall into the same sets of a cache
  bool uneven = false;        // or begin anywhere in a cache line, being of an odd number of lines
  double footprint = 0;       // bytes of all arrays
  Index lanes = usual_lanes;  // side by side, at most: then come others, farther away
  Index turn = 0;             // which of their parts is first, where they have some
  bool together = false;      // other cores begin at the same time: this one does not wait, nor repeat anything
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
  std::byte *in_ = nullptr, *out_ = nullptr;
  Operands operands_;
  Progress progress_ = [] {};
  double bytes_ = 0;
  bool together_ = false;
  int times_ = 0;
  Index parts_ = 1, part_ = 0, warm_ups_ = 1;
  std::size_t step_in_ = 0, step_out_ = 0;  // from one part to the next
};

// The pass over the first of so many parts, and bytes: read and written by a run, from one part to the next, and that
// its arrays take.
struct SampledPass {
  Pass pass;
  Index parts = 1;
  double bytes = 0;
  double step_in = 0, step_out = 0;
  double room_in = 0, room_out = 0;
};
SampledPass sampled_pass(const PassSample& sample);

}  // namespace kallima
