// The dictionary of three entries that a .npy header is, and the preamble with its length. Every number is bounded
// before it is used.

#include "file/npy.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "file/npy_literal.hpp"

namespace kallima {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// What NumPy calls numbers, how many bytes they take, and what they are read as. As in SciPy, half precision becomes
// single, and whole numbers double.
struct NumberType {
  const char* name;
  Index bytes;
  Data data;
  Precision precision;
  Stored stored;
};
constexpr std::array<NumberType, 14> number_types{{{"f4", 4, Data::real_, Precision::single_, Stored::floating},
                                                   {"f8", 8, Data::real_, Precision::double_, Stored::floating},
                                                   {"c8", 8, Data::complex_, Precision::single_, Stored::floating},
                                                   {"c16", 16, Data::complex_, Precision::double_, Stored::floating},
                                                   {"f2", 2, Data::real_, Precision::single_, Stored::half},
                                                   {"i1", 1, Data::real_, Precision::double_, Stored::int8},
                                                   {"i2", 2, Data::real_, Precision::double_, Stored::int16},
                                                   {"i4", 4, Data::real_, Precision::double_, Stored::int32},
                                                   {"i8", 8, Data::real_, Precision::double_, Stored::int64},
                                                   {"u1", 1, Data::real_, Precision::double_, Stored::uint8},
                                                   {"u2", 2, Data::real_, Precision::double_, Stored::uint16},
                                                   {"u4", 4, Data::real_, Precision::double_, Stored::uint32},
                                                   {"u8", 8, Data::real_, Precision::double_, Stored::uint64},
                                                   {"b1", 1, Data::real_, Precision::double_, Stored::boolean}}};

const NumberType& type_of(const ArrayHeader& header) {
  const auto found = std::ranges::find_if(number_types, [&](const NumberType& t) {
    const bool same = t.data == header.data && t.precision == header.precision;
    return t.stored == header.stored && (same || header.stored != Stored::floating);
  });
  require(found != number_types.end(), "numbers of this precision have no place in a file: use double or single");
  return *found;
}

Shape parse_shape(Literal& literal) {
  literal.need('(');
  Shape shape;
  bool comma = true;
  while (!literal.take(')')) {
    if (!comma) literal.need(',');
    shape.push_back(literal.number());
    require(shape.size() <= array_dimension_limit,
            "this .npy header has more than {} dimensions (NumPy allows no more) reshape the array",
            array_dimension_limit);
    comma = literal.take(',');
  }
  if (shape.size() == 1 && !comma)
    fail("this .npy header has a bad shape ({} in parentheses is no tuple) write ({},)", shape[0], shape[0]);
  return shape;
}

void parse_descr(Literal& literal, ArrayHeader& header) {
  require(!literal.next_is('['),
          "this .npy file holds records (a structured dtype) save one field of them, as complex128 for example");
  set_type(header, literal.string());
}

ArrayHeader parse_dictionary(std::string_view text) {
  Literal literal(text);
  ArrayHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  literal.need('{');
  bool comma = true;
  while (!literal.take('}')) {
    if (!comma) literal.need(',');
    const std::string key = literal.string();
    bool* const seen = key == "descr"           ? &has_descr
                       : key == "fortran_order" ? &has_order
                       : key == "shape"         ? &has_shape
                                                : nullptr;
    require(seen != nullptr && !*seen,
            "this .npy header is damaged (key '{}' is unknown or stands twice) save the array again", shown(key));
    *seen = true;
    literal.need(':');
    if (key == "descr") parse_descr(literal, header);
    if (key == "fortran_order") header.order = literal.boolean() ? ArrayOrder::fortran : ArrayOrder::c;
    if (key == "shape") header.shape = parse_shape(literal);
    comma = literal.take(',');
  }
  literal.end();
  require(has_descr && has_order && has_shape,
          "this .npy header is damaged (it lacks descr, fortran_order or shape) save the array again");
  return header;
}

Index length_field(std::span<const std::byte> start, std::size_t bytes) {
  Index length = 0;
  for (std::size_t i = 0; i < bytes; ++i) length |= Index{std::to_integer<std::uint8_t>(start[8 + i])} << (8 * i);
  return length;
}

}  // namespace

ArrayHeader parse_npy(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  require(
      text.starts_with(magic), "this is no .npy file (it {}) make one with numpy.save",
      text.size() < magic.size() ? fmt::format("has only {} bytes", text.size()) : "does not begin with \\x93NUMPY");
  require(text.size() >= 12, "this .npy file is truncated (it ends after {} bytes, within its header) save it again",
          text.size());
  const int version = static_cast<unsigned char>(text[6]);
  require(version >= 1 && version <= 3 && text[7] == 0,
          "this .npy file has version {}.{} (1.0, 2.0 and 3.0 are known) save it with another NumPy", version,
          static_cast<unsigned char>(text[7]));
  const std::size_t field = version == 1 ? 2 : 4;
  const Index begin = static_cast<Index>(8 + field);
  const Index length = length_field(start, field);
  require(length <= array_header_limit - begin,
          "this .npy header is {} bytes long (at most {} are read) the file must be damaged", length,
          array_header_limit - begin);
  require(begin + length <= static_cast<Index>(text.size()),
          "this .npy file is truncated (its header ends at byte {}, the file at {}) save it again", begin + length,
          text.size());
  ArrayHeader header = parse_dictionary(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
  check_elements(header.shape);
  header.data_offset = begin + length;
  return header;
}

void check_npy_size(const ArrayHeader& header, Index file_bytes) {
  const Index expected = header.data_offset + array_element_count(header) * item_bytes(header);
  require(file_bytes >= expected,
          "this .npy file is truncated (shape ({}) of {} needs {} bytes, the file has {}) save it again",
          fmt::join(header.shape, ", "), dtype_text(header), expected, file_bytes);
  require(file_bytes == expected,
          "this .npy file is too long ({} bytes follow the {} that shape ({}) of {} needs) save it again",
          file_bytes - expected, expected, fmt::join(header.shape, ", "), dtype_text(header));
}

std::string npy_header(const ArrayHeader& header) {
  std::string shape;
  for (const Index n : header.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", n);
  if (header.shape.size() == 1) shape += ",";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", dtype_text(header),
                                 header.order == ArrayOrder::fortran ? "True" : "False", shape);
  const bool long_form = text.size() + 64 > 0xffff;
  const std::size_t begin = long_form ? 12 : 10;
  text.append(63 - (begin + text.size()) % 64, ' ');
  text += '\n';
  std::string result(magic);
  result += long_form ? '\2' : '\1';
  result += '\0';
  for (std::size_t i = 8; i < begin; ++i) result += static_cast<char>((text.size() >> (8 * (i - 8))) & 0xff);
  return result + text;
}

void check_elements(const Shape& shape) {
  Index count = 1;
  for (const Index n : shape) {
    require(n > 0, "there is nothing to transform (shape ({}) has an extent of 0) give an array with elements",
            fmt::join(shape, ", "));
    require(count <= array_element_limit / n,
            "shape ({}) is too large (more than 2^58 elements) the header must be damaged", fmt::join(shape, ", "));
    count *= n;
  }
}

void set_type(ArrayHeader& header, const std::string& dtype) {
  const std::string_view type = std::string_view(dtype).substr(dtype.empty() ? 0 : 1);
  const bool wide = dtype.starts_with('<') || dtype.starts_with('>');
  const auto found = std::ranges::find_if(
      number_types, [&](const NumberType& t) { return type == t.name && (wide || (dtype[0] == '|' && t.bytes == 1)); });
  require(found != number_types.end(),
          "dtype '{}' cannot be transformed (only numbers of up to 8 bytes, and complex ones of up to 16) save "
          "x.astype('complex128') instead",
          shown(dtype));
  header.bytes = dtype[0] == '>' && found->bytes > 1 ? ByteOrder::big : ByteOrder::little;
  header.data = found->data;
  header.precision = found->precision;
  header.stored = found->stored;
}

Index item_bytes(const ArrayHeader& header) { return type_of(header).bytes; }

Index array_element_count(const ArrayHeader& header) {
  Index count = 1;
  for (const Index n : header.shape) count *= n;
  return count;
}

std::string dtype_text(const ArrayHeader& header) {
  const NumberType& type = type_of(header);
  return fmt::format("{}{}", type.bytes == 1 ? '|' : header.bytes == ByteOrder::little ? '<' : '>', type.name);
}

}  // namespace kallima
