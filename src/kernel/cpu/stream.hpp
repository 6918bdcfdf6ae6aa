#pragma once
// Stores past the caches, for what other data would drive out of them before it is read again: a cache line need not be
// read from memory to be written whole. Where an instruction set has none, hardware finds out by itself, or not.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kallima/types.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kallima::kernel {

#if defined(__SSE2__)

inline constexpr bool can_stream = true;

inline void stream_line(const void* from, void* to) {
  const auto* const x = static_cast<const __m128i*>(from);
  auto* const y = static_cast<__m128i*>(to);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(y + i, _mm_loadu_si128(x + i));
}

inline void end_streaming() { _mm_sfence(); }  // before others are told of what was stored

#else

inline constexpr bool can_stream = false;
inline void stream_line(const void* from, void* to) { std::memcpy(to, from, 64); }
inline void end_streaming() {}

#endif

// What is less than a cache line at either end is stored as usual.
template <class C>
void stream_row(const C* from, Index count, C* to) {
  constexpr std::size_t line = 64;
  constexpr Index in_line = static_cast<Index>(line / sizeof(C));
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(to) % line;
  const Index before = beyond == 0 ? 0 : static_cast<Index>((line - beyond) / sizeof(C));
  Index b = std::min(count, beyond % sizeof(C) == 0 ? before : count);
  std::copy_n(from, b, to);
  for (; b + in_line <= count; b += in_line) stream_line(from + b, to + b);
  std::copy(from + b, from + count, to + b);
}

}  // namespace kallima::kernel
