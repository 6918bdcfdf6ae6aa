#pragma once
// NumPy's .npy header, read and written. The parser is pure and trusts nothing: it sees the first bytes of a file and
// either returns a header whose numbers have all been checked or throws an Error that says what is wrong. The format:
// numpy.lib.format, versions 1.0, 2.0 and 3.0.

#include "kallima/array_file.hpp"

namespace kallima {

// `start` is the beginning of a file: all of it, or at least array_header_limit bytes.
ArrayHeader parse_npy(std::span<const std::byte> start);

// Throws unless the file holds exactly the header and its elements.
void check_npy_size(const ArrayHeader& header, Index file_bytes);

// The bytes that stand before the data: version 1.0, or 2.0 where that is too short, padded to a multiple of 64.
std::string npy_header(const ArrayHeader& header);

// What '<f8' and its like say; throws where numbers of that type cannot be taken.
void set_type(ArrayHeader& header, const std::string& dtype);

// Throws unless all extents are positive and their product is within array_element_limit.
void check_elements(const Shape& shape);

}  // namespace kallima
