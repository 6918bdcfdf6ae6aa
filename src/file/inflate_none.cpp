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

}  // namespace kallima
