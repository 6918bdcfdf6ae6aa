// The header that would be written says all about the file, so reading is comparing: nothing of it is parsed. Numbers
// are written by rank 0 with the header and read by every rank.

#include "kallima/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/check.hpp"
#include "file/part_runs.hpp"

namespace kallima {
namespace {

static_assert(std::endian::native == std::endian::little);  // which the names of types say

constexpr std::size_t preamble = 12;  // of version 2.0: magic, version, four bytes for the length

std::string start_of(const std::string& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "cannot read {} ({}) check the name and its permissions", path, std::strerror(errno));
  std::string start(bytes, '\0');
  file.read(start.data(), static_cast<std::streamsize>(bytes));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
}

std::string dictionary(const std::string& header) {  // without the bytes that count it, and the padding
  const std::size_t end = header.find_last_not_of(" \n");
  return header.size() <= preamble || end < preamble ? "nothing" : header.substr(preamble, end + 1 - preamble);
}

}  // namespace

void Checkpoint::check_name(const std::string& name) const {
  const auto plain = [](char c) { return c != '\'' && c != '\\' && c >= ' ' && c <= '~'; };
  require(!name.empty() && std::ranges::all_of(name, plain), "'{}' cannot be a name in a file: use letters", name);
  const auto same = [&](const auto& other) { return other.name == name; };
  require(std::ranges::none_of(numbers_, same) && std::ranges::none_of(arrays_, same),
          "'{}' is named twice: give each its own name", name);
}

Checkpoint& Checkpoint::add(NamedNumber number) {
  check_name(number.name);
  numbers_.push_back(std::move(number));
  return *this;
}

Checkpoint& Checkpoint::add(NamedArrays arrays) {
  check_name(arrays.name);
  arrays_.push_back(std::move(arrays));
  return *this;
}

Checkpoint& Checkpoint::number(const std::string& name, double& value) {
  return add(NamedNumber{name, "<f8", std::as_writable_bytes(std::span(&value, 1))});
}

Checkpoint& Checkpoint::number(const std::string& name, Index& value) {
  return add(NamedNumber{name, "<i8", std::as_writable_bytes(std::span(&value, 1))});
}

std::string Checkpoint::header() const {
  std::vector<std::string> fields;
  for (const NamedNumber& number : numbers_) fields.push_back(fmt::format("('{}', '{}')", number.name, number.dtype));
  for (const NamedArrays& arrays : arrays_) {
    Shape shape{std::ssize(arrays.parts)};
    shape.insert(shape.end(), arrays.layout.shape().begin(), arrays.layout.shape().end());
    fields.push_back(fmt::format("('{}', '{}', ({}))", arrays.name, arrays.dtype, fmt::join(shape, ", ")));
  }
  std::string text = fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': (1,), }}", fmt::join(fields, ", "));
  while ((preamble + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string result("\x93NUMPY\x02\x00", 8);
  for (int byte = 0; byte < 4; ++byte) result += static_cast<char>(text.size() >> (8 * byte) & 0xff);
  return result + text;
}

void Checkpoint::each_part(Index header_bytes, const auto& visit) const {
  Index place = header_bytes;
  for (const NamedNumber& number : numbers_) place += std::ssize(number.value);
  for (const NamedArrays& arrays : arrays_)
    for (const std::span<std::byte>& part : arrays.parts) {
      visit(place, arrays, part);
      place = file_bytes(arrays.layout, arrays.item_bytes, place);
    }
}

Index Checkpoint::file_size(Index header_bytes) const {
  Index end = header_bytes;
  for (const NamedNumber& number : numbers_) end += std::ssize(number.value);
  each_part(header_bytes, [&](Index place, const NamedArrays& arrays, auto) {
    end = file_bytes(arrays.layout, arrays.item_bytes, place);
  });
  return end;
}

void Checkpoint::write(const Comm& comm, const std::string& path) const {
  const std::string unfinished = path + ".new";
  std::string start = header();
  const Index header_bytes = std::ssize(start), bytes = file_size(header_bytes);
  for (const NamedNumber& number : numbers_)
    start.append(reinterpret_cast<const char*>(number.value.data()), number.value.size());
  create_file(comm.transport(), unfinished, std::as_bytes(std::span(start)), bytes);
  each_part(header_bytes, [&](Index place, const NamedArrays& arrays, std::span<const std::byte> part) {
    const bool last = file_bytes(arrays.layout, arrays.item_bytes, place) == bytes;
    write_into(comm.transport(), unfinished, place, arrays.layout, arrays.item_bytes, part,
               last ? Flush::now : Flush::later);
  });
  replace_file(comm.transport(), unfinished, path);
}

void Checkpoint::read(const Comm& comm, const std::string& path) const {
  const std::string expected = header();
  const Index header_bytes = std::ssize(expected);
  together(comm.transport(), [&] {
    std::size_t place = expected.size();
    for (const NamedNumber& number : numbers_) place += number.value.size();
    const std::string start = start_of(path, place), found = start.substr(0, expected.size());
    require(found == expected, "{} is not the checkpoint that is wanted (it holds {}, and not {})", path,
            dictionary(found), dictionary(expected));
    const auto size = static_cast<Index>(std::filesystem::file_size(path)), needed = file_size(header_bytes);
    require(size == needed, "{} is damaged ({} bytes, {} are needed): go back to an older one", path, size, needed);
    place = expected.size();
    for (const NamedNumber& number : numbers_) {
      std::memcpy(number.value.data(), start.data() + place, number.value.size());
      place += number.value.size();
    }
  });
  each_part(header_bytes, [&](Index place, const NamedArrays& arrays, std::span<std::byte> part) {
    read_part(comm.transport(), path, place, arrays.layout, arrays.item_bytes, part);
  });
}

}  // namespace kallima
