#pragma once
// A rank's part of a .npy file. Collective.

#include <span>

#include "app/npy.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

// All ranks' parts together become `path`, which is replaced when all has gone well and untouched otherwise.
void write_npy_part(Transport& transport, const std::string& path, const NpyHeader& header, const Layout& layout,
                    std::span<const std::byte> part, Flush flush = Flush::later);

}  // namespace kallima::cli
