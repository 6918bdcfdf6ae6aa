#pragma once
// Arrays in the host's memory, transformed by a device whose memory is the schedule's work buffer. Where the array fits
// there, it crosses the bus once each way: planes are transformed along all axes but the first as they come in, and
// columns along the first as they go out. Otherwise it crosses twice, first as planes and then as columns, a few at a
// time, with the result's own memory between the two. Fewer crossings are not possible, since every column needs all
// planes. Copies up, computing and copies down of different parts go on at the same time.

#include "kallima/route.hpp"

namespace kallima::cuda {

inline constexpr const char* streamed = "streamed";  // the route's name

}  // namespace kallima::cuda
