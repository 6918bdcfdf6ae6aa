#pragma once
// Arrays in files that all ranks can reach. Every rank reads or writes its part of an array of `layout` (row-major,
// items of `item_bytes`) that starts at byte `offset` of a file. Collective: all throw the same Error or none does.

#include <cstddef>
#include <span>

#include "kallima/transport.hpp"

namespace kallima {

void read_part(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
               std::span<std::byte> part);

// Creates the file, or cuts it short, first writing `header` at its beginning.
void write_part(Transport& transport, const std::string& path, std::span<const std::byte> header, const Layout& layout,
                Index item_bytes, std::span<const std::byte> part);

}  // namespace kallima
