#pragma once
// Arrays in files that all ranks can reach. Every rank reads or writes its part of an array of `layout` (row-major,
// items of `item_bytes`) that starts at byte `offset` of a file. Collective: all throw the same Error or none does.

#include <cstddef>
#include <span>

#include "kallima/transport.hpp"

namespace kallima {

void read_part(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
               std::span<std::byte> part);

// Whether to wait until what was written is on the disk, and not only with the system.
enum class Flush { later, now };

// Creates the file, or cuts it short, first writing `header` at its beginning.
void write_part(Transport& transport, const std::string& path, std::span<const std::byte> header, const Layout& layout,
                Index item_bytes, std::span<const std::byte> part, Flush flush = Flush::now);

// The same in steps, for files of several arrays: a file of so many bytes, its disk blocks taken where the file system
// can, with `header` at its beginning; and an array into a file that is there and long enough, of which nothing else
// is touched.
void create_file(Transport& transport, const std::string& path, std::span<const std::byte> header, Index bytes);
void write_into(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
                std::span<const std::byte> part, Flush flush = Flush::later);

// A part of an array: from index `begin` of an array of `whole` extents on, as far as a layout's shape reaches. Ranks
// read or write their parts of that part, and nothing else is touched.
struct Hyperslab {
  Shape whole, begin;
};
void read_slab(Transport& transport, const std::string& path, Index offset, const Hyperslab& slab, const Layout& layout,
               Index item_bytes, std::span<std::byte> part);
void write_slab(Transport& transport, const std::string& path, Index offset, const Hyperslab& slab,
                const Layout& layout, Index item_bytes, std::span<const std::byte> part);

// Puts a file that all ranks have written in the place of another, or of none, in one step.
void replace_file(Transport& transport, const std::string& from, const std::string& to);

}  // namespace kallima
