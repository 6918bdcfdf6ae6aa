#pragma once
// NumPy's .npy header, read and written. The parser is pure and trusts nothing: it sees the first bytes of a file and
// either returns a header whose numbers have all been checked or throws an Error that says what is wrong. The format:
// numpy.lib.format, versions 1.0, 2.0 and 3.0.

#include <cstddef>
#include <span>
#include <string>

#include "kallima/types.hpp"

namespace kallima::cli {

enum class NpyKind { real, complex };
enum class ByteOrder { little, big };
enum class ArrayOrder { c, fortran };

struct NpyHeader {
  NpyKind kind = NpyKind::complex;
  Precision precision = Precision::double_;
  ByteOrder bytes = ByteOrder::little;
  ArrayOrder order = ArrayOrder::c;
  Shape shape = {};       // as NumPy shows it; empty for a 0-dimensional array, which holds one element
  Index data_offset = 0;  // of the first element, in bytes from the beginning of the file
  bool operator==(const NpyHeader&) const = default;
};

inline constexpr Index npy_header_limit = 64 * 1024;  // no header that we accept is longer, its preamble included
inline constexpr std::size_t npy_dimension_limit = 64;
inline constexpr Index npy_element_limit = Index{1} << 58;  // so that 16 bytes each still fit an Index

// `start` is the beginning of a file: all of it, or at least npy_header_limit bytes.
NpyHeader parse_npy(std::span<const std::byte> start);

// Throws unless the file holds exactly the header and its elements.
void check_npy_size(const NpyHeader& header, Index file_bytes);

// The bytes that stand before the data: version 1.0, or 2.0 where that is too short, padded to a multiple of 64.
std::string npy_header(const NpyHeader& header);

Index item_bytes(const NpyHeader& header);
Index npy_element_count(const NpyHeader& header);
std::string dtype_text(const NpyHeader& header);  // <c16

}  // namespace kallima::cli
