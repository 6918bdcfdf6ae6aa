#pragma once
// As much of the zip format as .npz files use: which members there are, where in the file each one's bytes begin, and
// how one is added. The format: PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3 (sizes beyond 4 GiB).

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
  Index header = 0, entry = 0;  // where its own header is, and its entry in the directory
};

struct ZipDirectory {
  std::vector<ZipMember> members = {};
  Index begin = 0, bytes = 0;  // the entries' own
};
ZipDirectory zip_directory(const std::string& path);

// The member of that name, or of name.npy; the only one there is where the name is empty. Throws Error otherwise.
ZipMember zip_member(const std::string& path, const std::string& name);

// Unpacks a deflated member from its beginning on and hands its bytes to `take`, a stretch after the other, until this
// answers false. Throws Error where the data are damaged, and in a build that cannot.
void inflate(const std::string& path, const ZipMember& member,
             const std::function<bool(std::span<const std::byte>)>& take);
bool can_inflate();

// Makes room for a member that is stored as it is: at the end of a file that has members, or in a new one. Returns the
// place of its first byte. Bytes and checksum are the caller's business, as all ranks can write them. Of one rank.
Index zip_add(const std::string& path, const std::string& name, Index bytes);
void zip_seal(const std::string& path, const std::string& name, std::uint32_t checksum);

// Of a stretch of a file; and of two stretches that follow each other, the second so long.
std::uint32_t zip_checksum(const std::string& path, Index offset, Index bytes);
std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second, Index second_bytes);

}  // namespace kallima
