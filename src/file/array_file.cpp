// Whatever the format, an array is a stretch of a file of which ranks read their parts; only what is packed is unpacked
// first, by every rank for itself.

#include "kallima/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "file/hdf5.hpp"
#include "file/npy.hpp"
#include "file/numbers.hpp"
#include "file/part_runs.hpp"
#include "file/posix_file.hpp"
#include "file/zip.hpp"
#include "kallima/memory.hpp"

namespace kallima {
namespace {

struct Extension {
  const char* text;
  ArrayFormat format;
};
constexpr std::array<Extension, 5> extensions{{{".npz", ArrayFormat::npz},
                                               {".h5", ArrayFormat::hdf5},
                                               {".hdf5", ArrayFormat::hdf5},
                                               {".raw", ArrayFormat::raw},
                                               {".npy", ArrayFormat::npy}}};

std::vector<std::byte> start_of(const File& file, Index offset, Index bytes) {
  std::vector<std::byte> start(at(std::min(bytes, array_header_limit)));
  file.read_at(offset, start);
  return start;
}

ArrayHeader npy_file_header(const std::string& path) {
  const File file(path, O_RDONLY, "read");
  require(file.is_regular(), "it is not a regular file: every rank reads its own part of it, which only those allow");
  const ArrayHeader header = parse_npy(start_of(file, 0, file.size()));
  check_npy_size(header, file.size());
  return header;
}

ArrayHeader npz_header(const ArrayName& name) {
  const ZipMember member = zip_member(name.path, name.member);
  std::vector<std::byte> start;
  if (!member.deflated) start = start_of(File(name.path, O_RDONLY, "read"), member.offset, member.bytes);
  if (member.deflated)
    inflate(name.path, member, [&](std::span<const std::byte> bytes) {
      start.insert(start.end(), bytes.begin(), bytes.end());
      return std::ssize(start) < array_header_limit;
    });
  start.resize(std::min(start.size(), at(array_header_limit)));
  ArrayHeader header = parse_npy(start);
  check_npy_size(header, member.bytes);
  header.data_offset = member.deflated ? -1 : member.offset + header.data_offset;
  return header;
}

// f8:64x64 or >c16:128:512, type, shape and the first byte.
ArrayHeader raw_header(const ArrayName& name) {
  const std::vector<std::string> words = split(name.member, ':');
  require(words.size() == 2 || words.size() == 3, "what it holds is not known: name type and shape, {}:f8:64x64",
          name.path);
  ArrayHeader header;
  const bool plain = words[0].find_first_of("<>|") == std::string::npos;
  set_type(header, plain ? (words[0].ends_with('1') && words[0].size() == 2 ? "|" : "<") + words[0] : words[0]);
  for (const std::string& word : split(words[1], 'x')) {
    const auto extent = number_in<Index>(word);
    require(extent.has_value(), "the shape '{}' is not understood: write 64x64", words[1]);
    header.shape.push_back(*extent);
  }
  check_elements(header.shape);
  const auto offset = number_in<Index>(words.size() == 3 ? words[2] : "0");
  require(offset && *offset >= 0, "'{}' is no place in a file: give a number of bytes", words.back());
  header.data_offset = *offset;
  const Index needed = *offset + array_element_count(header) * item_bytes(header);
  const Index size = File(name.path, O_RDONLY, "read").size();
  require(size >= needed, "it is too short ({} bytes, {} are needed)", size, needed);
  return header;
}

// What a deflated member has of this rank's part, picked out while it is unpacked.
void read_deflated(const ArrayName& name, const ArrayHeader& header, const Layout& layout, int rank,
                   std::span<std::byte> part) {
  const ZipMember member = zip_member(name.path, name.member);
  const PartRuns runs(layout, rank);
  const Index item = item_bytes(header), begin = member.bytes - array_element_count(header) * item;
  std::vector<std::byte> rest;  // what is not a whole item yet
  Index place = 0, next = 0;
  inflate(name.path, member, [&](std::span<const std::byte> bytes) {
    const Index skipped = std::clamp<Index>(begin - place, 0, std::ssize(bytes));
    place += std::ssize(bytes);
    rest.insert(rest.end(), bytes.begin() + skipped, bytes.end());
    const Index items = std::ssize(rest) / item;
    runs.visit_range(next, next + items, [&](Index in_file, Index in_part, Index count) {
      std::memcpy(part.data() + in_part * item, rest.data() + (in_file - next) * item, at(count * item));
    });
    rest.erase(rest.begin(), rest.begin() + items * item);
    next += items;
    return true;
  });
}

void read_items(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Hyperslab* slab,
                const Layout& layout, std::span<std::byte> part) {
  if (header.data_offset >= 0 && slab != nullptr)
    return read_slab(transport, name.path, header.data_offset, *slab, layout, item_bytes(header), part);
  if (header.data_offset >= 0)
    return read_part(transport, name.path, header.data_offset, layout, item_bytes(header), part);
  together(transport, [&] {
    require(slab == nullptr, "{} is packed, and can only be read as a whole: save it without compression", name.path);
    if (name.format == ArrayFormat::npz) return read_deflated(name, header, layout, transport.rank(), part);
    hdf5_read(name.path, name.member, layout, transport.rank(), part);
  });
}

}  // namespace

ArrayName array_name(const std::string& text) {
  for (const Extension& extension : extensions) {
    const std::string with_member = std::string(extension.text) + ":";
    if (text.ends_with(extension.text)) return {extension.format, text};
    const std::size_t found = text.find(with_member);
    if (found != text.npos && extension.format != ArrayFormat::npy)
      return {extension.format, text.substr(0, found + with_member.size() - 1),
              text.substr(found + with_member.size())};
  }
  return {ArrayFormat::npy, text};
}

std::string formats_text() {
  return fmt::format(".npy, .npz{}, .raw{}", can_inflate() ? "" : " (not compressed)",
                     has_hdf5() ? (has_parallel_hdf5() ? ", .h5 (parallel)" : ", .h5") : "");
}

ArrayHeader read_array_header(const ArrayName& name) {
  try {
    switch (name.format) {
      case ArrayFormat::npz:
        return npz_header(name);
      case ArrayFormat::hdf5:
        return hdf5_header(name.path, name.member);
      case ArrayFormat::raw:
        return raw_header(name);
      default:
        return npy_file_header(name.path);
    }
  } catch (const Error& error) {
    const std::string why = error.what();
    fail("{}{}", why.find(name.path) == why.npos ? name.path + ": " : "", why);
  }
}

namespace {

// In the end of the part's own memory where numbers grow, so that nothing else is needed.
template <class Item>
void read_converted(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Hyperslab* slab,
                    const Layout& layout, std::span<Item> part) {
  constexpr bool real = std::is_floating_point_v<Item>;
  together(transport, [&] {
    require(!real || header.data == Data::real_, "{} holds complex numbers ({}), which do not become reals", name.path,
            dtype_text(header));
  });
  const auto item = at(item_bytes(header));
  const std::span<std::byte> memory = std::as_writable_bytes(part);
  Array<std::byte> elsewhere;
  together(transport, [&] {
    if (item > sizeof(Item)) elsewhere = Array<std::byte>(static_cast<Index>(part.size() * item));
  });
  const std::span<std::byte> items = item > sizeof(Item) ? elsewhere.span() : memory.last(part.size() * item);
  read_items(transport, name, header, slab, layout, items);
  const bool as_it_is = header.stored == Stored::floating && header.bytes == ByteOrder::little &&
                        item == sizeof(Item) && (header.data == Data::real_) == real;
  if (!as_it_is) convert_numbers(header, items.data(), part);
}

}  // namespace

template <class Item>
void read_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                std::span<Item> part) {
  read_converted(transport, name, header, nullptr, layout, part);
}

template <class Item>
void read_array_slab(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Hyperslab& slab,
                     const Layout& layout, std::span<Item> part) {
  read_converted(transport, name, header, &slab, layout, part);
}

#define KALLIMA_READ_ARRAY(Item)                                                                                   \
  template void read_array(Transport&, const ArrayName&, const ArrayHeader&, const Layout&, std::span<Item>);      \
  template void read_array_slab(Transport&, const ArrayName&, const ArrayHeader&, const Hyperslab&, const Layout&, \
                                std::span<Item>);

KALLIMA_READ_ARRAY(float)
KALLIMA_READ_ARRAY(double)
KALLIMA_READ_ARRAY(std::complex<float>)
KALLIMA_READ_ARRAY(std::complex<double>)

}  // namespace kallima
