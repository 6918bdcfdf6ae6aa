// What stands in for inflate.cpp where Kallima is built without zlib.

#include "base/check.hpp"
#include "file/zip.hpp"

namespace kallima {

bool can_inflate() { return false; }

void inflate(const std::string& path, const ZipMember& member, const std::function<bool(std::span<const std::byte>)>&) {
  fail(
      "{} of {} is compressed (this Kallima was built without zlib) use numpy.savez, or install zlib1g-dev and build "
      "again",
      member.name, path);
}

std::uint32_t zip_checksum(const std::string&, Index, Index) { return 0; }  // nothing is written without zlib

std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t, Index) { return first; }

}  // namespace kallima
