// Whatever bytes come in, the .npy parser either throws an Error or returns a header that keeps its promises: extents
// of at least 1, a size that is accepted to the byte and not one more or less, and a header that reads back the same
// when written.

#include "file/npy.hpp"
#include "fuzz/fuzz.hpp"

namespace kallima::fuzz {
namespace {

bool accepts_size(const ArrayHeader& header, Index bytes) {
  return accepted([&] { check_npy_size(header, bytes); });
}

void check_promises(ArrayHeader header, std::size_t size) {
  for (const Index n : header.shape) must(n >= 1, "extents are at least 1");
  must(header.data_offset <= static_cast<Index>(size), "the header lies within the file");
  const Index bytes = header.data_offset + array_element_count(header) * item_bytes(header);
  must(bytes > header.data_offset, "the size does not overflow");
  must(accepts_size(header, bytes), "the right size is accepted");
  must(!accepts_size(header, bytes - 1) && !accepts_size(header, bytes + 1), "other sizes are not");
  const std::string text = npy_header(header);
  header.data_offset = static_cast<Index>(text.size());
  must(parse_npy(std::as_bytes(std::span(text))) == header, "a written header reads back the same");
}

void check_bytes(const std::string& bytes) {
  ArrayHeader header;
  if (accepted([&] { header = parse_npy(std::as_bytes(std::span(bytes))); })) check_promises(header, bytes.size());
}

}  // namespace

// Most mutations break the length field, behind which the parser would never look, so it is set right as well.
void check(const std::string& input) {
  check_bytes(input);
  if (input.size() < 12 || input[6] != 1) return;
  std::string repaired = input;
  const std::size_t length = input.size() - 10;
  repaired[8] = static_cast<char>(length & 0xff);
  repaired[9] = static_cast<char>((length >> 8) & 0xff);
  check_bytes(repaired);
}

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{31, 33, 35}, Shape{4294967296, 65536}, Shape(64, 1)})
    for (const ArrayOrder order : {ArrayOrder::c, ArrayOrder::fortran})
      result.push_back(npy_header({.bytes = ByteOrder::big, .order = order, .shape = shape}));
  return result;
}

std::vector<std::string> words() {
  return {"\x93NUMPY\x01",
          "(",
          ")",
          "{",
          "}",
          ",",
          ":",
          "'",
          "\"",
          "True",
          "False",
          "'<f4'",
          "'>c16'",
          "'<i2'",
          "'|b1'",
          "'>f2'",
          "'descr'",
          "'shape'",
          "L",
          "[",
          "\n",
          " ",
          "\xff",
          "288230376151711744"};
}

}  // namespace kallima::fuzz
