#pragma once
// As much of the zip format as .npz files use: which members there are, and where in the file each one's bytes begin.
// The format: PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3 (sizes beyond 4 GiB).

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima {

struct ZipMember {
  std::string name;
  Index offset = 0;  // of its first byte in the file
  Index packed_bytes = 0;
  Index bytes = 0;
  bool deflated = false;
};

// The member of that name, or of name.npy; the only one there is where the name is empty. Throws Error otherwise.
ZipMember zip_member(const std::string& path, const std::string& name);

// Unpacks a deflated member from its beginning on and hands its bytes to `take`, a stretch after the other, until this
// answers false. Throws Error where the data are damaged, and in a build that cannot.
void inflate(const std::string& path, const ZipMember& member,
             const std::function<bool(std::span<const std::byte>)>& take);
bool can_inflate();

}  // namespace kallima
