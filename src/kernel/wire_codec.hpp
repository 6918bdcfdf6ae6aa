#pragma once
// Numbers as they travel: encoded and decoded in blocks of wire_block reals, whole ones one after the other and what is
// left at the end, so that a message may be done in parts that begin at blocks. `single` is an array of float.
// `shared_exponent` is, for each block, 16 bits of exponent and the mantissas, bits packed from the lowest up. A block
// with an infinity or a NaN in it is NaN throughout, which a transform would make of it anyway; `single` keeps both.

#include <cstddef>
#include <span>

#include "kallima/wire.hpp"
#include "kernel/wire_errors.hpp"

namespace kallima::kernel {

// For formats other than same, and for whatever precision the numbers have. `to` and `from` have encoded_bytes(). NaN
// and infinity are in no sum.
template <class T>
void encode(const Wire& wire, std::span<const T> reals, std::byte* to, WireErrors& errors);
template <class T>
void decode(const Wire& wire, const std::byte* from, std::span<T> reals);

}  // namespace kallima::kernel
