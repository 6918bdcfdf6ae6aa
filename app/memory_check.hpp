#pragma once
// Whether the ranks of each machine fit its memory, asked before the memory is taken: a system that promises more than
// it has would otherwise kill the job without a word.

#include "kallima/transport.hpp"

namespace kallima::cli {

// `bytes` is what this rank will need at least. Throws on every rank if any machine has less than its ranks need.
// Collective.
void check_memory(Transport& transport, Index bytes);

std::uint64_t free_memory();  // of this machine, in bytes, as far as this process may use it

}  // namespace kallima::cli
