// What zlib does for zip files: it unpacks deflated data, and checks what was stored.

#include <zlib.h>

#include "file/posix_file.hpp"
#include "file/zip.hpp"

namespace kallima {
namespace {

constexpr Index unpacked_at_once = Index{1} << 20;

struct ZlibStream {
  ZlibStream() { require(inflateInit2(&state, -MAX_WBITS) == Z_OK, "zlib cannot be used (no memory?)"); }
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;
  ~ZlibStream() { inflateEnd(&state); }
  z_stream state = {};
};

}  // namespace

bool can_inflate() { return true; }

void inflate(const std::string& path, const ZipMember& member,
             const std::function<bool(std::span<const std::byte>)>& take) {
  const File file(path, O_RDONLY, "read");
  ZlibStream stream;
  std::vector<std::byte> packed(at(unpacked_at_once)), unpacked(at(unpacked_at_once));
  Index read = 0, done = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.state.avail_in == 0 && read < member.packed_bytes) {
      const Index bytes = std::min(unpacked_at_once, member.packed_bytes - read);
      file.read_at(member.offset + read, std::span(packed).first(at(bytes)));
      stream.state.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.state.avail_in = static_cast<uInt>(bytes);
      read += bytes;
    }
    stream.state.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream.state.avail_out = static_cast<uInt>(unpacked_at_once);
    status = ::inflate(&stream.state, Z_NO_FLUSH);
    const std::size_t got = at(unpacked_at_once) - stream.state.avail_out;
    done += static_cast<Index>(got);
    require((status == Z_OK || status == Z_STREAM_END) && done <= member.bytes,
            "{} of {} is damaged (it cannot be unpacked beyond byte {}) save it again", member.name, path, done);
    if (got > 0 && !take(std::span(unpacked).first(got))) return;
  }
  require(done == member.bytes, "{} of {} is damaged ({} bytes of {} came out) save it again", member.name, path, done,
          member.bytes);
}

std::uint32_t zip_checksum(const std::string& path, Index offset, Index bytes) {
  const File file(path, O_RDONLY, "read");
  std::vector<std::byte> some(at(std::min(bytes, unpacked_at_once)));
  uLong sum = crc32(0, nullptr, 0);
  for (Index done = 0; done < bytes; done += unpacked_at_once) {
    const Index now = std::min(unpacked_at_once, bytes - done);
    file.read_at(offset + done, std::span(some).first(at(now)));
    sum = crc32(sum, reinterpret_cast<const Bytef*>(some.data()), static_cast<uInt>(now));
  }
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second, Index second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, second_bytes));
}

}  // namespace kallima
