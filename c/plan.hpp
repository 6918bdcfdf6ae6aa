#pragma once
// What a plan's handle stands for. It keeps its AnyFft alive, and so does a transform that is under way.

#include "c/calls.hpp"

struct kallima_plan_s {
  std::shared_ptr<kallima::AnyFft> fft;
  kallima::Layout layouts[2];  // of both sides
  std::string texts[2];        // what these are called
  std::string explained;       // which way it goes
};

namespace kallima::c {

inline AnyFft& fft_of(kallima_plan plan) { return *held(plan, "plan").fft; }

inline std::size_t number(kallima_side side) {
  if (side != KALLIMA_IN && side != KALLIMA_OUT) throw Error("a side is neither KALLIMA_IN nor KALLIMA_OUT");
  return side == KALLIMA_IN ? 0 : 1;
}

inline Index size(const AnyFft& fft, kallima_side side) {
  return number(side) == 0 ? fft.local_size_in() : fft.local_size_out();
}

inline Data data(const AnyFft& fft, kallima_side side) {
  return number(side) == 0 ? fft.plan().data_in() : fft.plan().data_out();
}

inline std::size_t bytes(const AnyFft& fft, kallima_side side) {
  return static_cast<std::size_t>(size(fft, side)) * fft.element().bytes_of(data(fft, side));
}

}  // namespace kallima::c
