// One rank makes room in the file, as its format has it, and all write their parts of that stretch.

#include <filesystem>

#include "file/hdf5.hpp"
#include "file/npy.hpp"
#include "file/part_runs.hpp"
#include "file/posix_file.hpp"
#include "file/zip.hpp"
#include "kallima/array_file.hpp"

namespace kallima {
namespace {

// As numpy.savez names them.
std::string written_member(const ArrayName& name) {
  const std::string member = name.member.empty() ? "arr_0" : name.member;
  return member.ends_with(".npy") ? member : member + ".npy";
}

// Of one rank: a new file, or one array more in a file of several.
Index npz_create(const ArrayName& name, const ArrayHeader& header) {
  const std::string head = npy_header(header), member = written_member(name);
  const Index bytes = file_bytes(header.shape, item_bytes(header), std::ssize(head));
  require(
      can_inflate(),
      "{} cannot be written (this Kallima was built without zlib) write .npy, or install zlib1g-dev and build again",
      name.path);
  const bool adds = adds_to_file(name);
  if (!adds) File(name.path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  const Index first = zip_add(name.path, member, bytes);
  File(name.path, O_WRONLY, "write").write_at(first, std::as_bytes(std::span(head)));
  return first + std::ssize(head);
}

ArrayHeader as_written(ArrayHeader header) {
  header.bytes = ByteOrder::little;
  header.stored = Stored::floating;
  return header;
}

}  // namespace

bool adds_to_file(const ArrayName& name) {
  std::error_code error;
  const bool there = std::filesystem::is_regular_file(name.path, error) && std::filesystem::file_size(name.path) > 0;
  if (name.format == ArrayFormat::hdf5) return there;
  if (name.format != ArrayFormat::npz || !there) return false;
  const std::vector<ZipMember> members = zip_directory(name.path).members;
  return members.size() != 1 || members[0].name != written_member(name);
}

bool keeps_order(const ArrayName& name) { return name.format == ArrayFormat::npy || name.format == ArrayFormat::npz; }

Index create_array(Transport& transport, const ArrayName& name, const ArrayHeader& header) {
  const ArrayHeader plain = as_written(header);
  together(transport, [&] {
    require(header.order == ArrayOrder::c || keeps_order(name),
            "{} cannot hold an array in Fortran's order (.npy and .npz can) write one of these", name.path);
  });
  if (name.format == ArrayFormat::hdf5 || name.format == ArrayFormat::npz) {
    Index offset = 0;
    together(transport, [&] {
      if (transport.rank() != 0) return;
      const bool packed = name.format == ArrayFormat::npz;
      offset = packed ? npz_create(name, plain) : hdf5_create(name.path, name.member, plain);
    });
    return gathered(transport, offset)[0];
  }
  const std::string head = name.format == ArrayFormat::npy ? npy_header(plain) : "";
  const Index offset = std::ssize(head);
  Index bytes = 0;
  together(transport, [&] { bytes = file_bytes(plain.shape, item_bytes(plain), offset); });
  create_file(transport, name.path, std::as_bytes(std::span(head)), bytes);
  return offset;
}

// Every rank sums up a stretch; sums are joined as if one had read them all.
void finish_array(Transport& transport, const ArrayName& name) {
  if (name.format != ArrayFormat::npz) return;
  Index bytes = 0;
  std::uint32_t mine = 0;
  together(transport, [&] {
    const ZipMember member = zip_member(name.path, written_member(name));
    const Index ranks = transport.size(), rank = transport.rank();
    const Index begin = member.bytes / ranks * rank,
                end = rank + 1 == ranks ? member.bytes : begin + member.bytes / ranks;
    bytes = end - begin;
    mine = zip_checksum(name.path, member.offset + begin, bytes);
  });
  const std::vector<std::uint32_t> sums = gathered(transport, mine);
  const std::vector<Index> lengths = gathered(transport, bytes);
  together(transport, [&] {
    if (transport.rank() != 0) return;
    std::uint32_t sum = sums[0];
    for (std::size_t r = 1; r < sums.size(); ++r) sum = joined_checksum(sum, sums[r], lengths[r]);
    zip_seal(name.path, written_member(name), sum);
  });
}

void write_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                 std::span<const std::byte> part, Flush flush) {
  const Index offset = create_array(transport, name, header);
  write_into(transport, name.path, offset, layout, item_bytes(as_written(header)), part, flush);
  finish_array(transport, name);
}

void write_packed_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                        std::span<const std::byte> part, int level) {
  together(transport, [&] {
    require(name.format == ArrayFormat::hdf5, "{} is not compressed (only .h5 files are) write NAME.h5", name.path);
    require(header.order == ArrayOrder::c, "HDF5 knows C's order only: {} cannot be written in Fortran's", name.path);
  });
  hdf5_write_packed(transport, name.path, name.member, as_written(header), layout, part, level);
}

}  // namespace kallima
