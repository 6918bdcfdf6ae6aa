#pragma once
// Arrays in files of several formats, found by the name: x.npy; one of several in x.npz:member or x.h5:dataset; and
// x.raw:f8:64x64, mere numbers, of which the name must say what they are. Every rank reads or writes its part, in any
// layout. Numbers of any type can be read, integers and half precision too; they become reals or complex numbers.

#include <cstddef>
#include <span>

#include "kallima/file.hpp"

namespace kallima {

enum class ByteOrder { little, big };
enum class ArrayOrder { c, fortran };

// How numbers stand in a file: as the floating-point numbers that they are read as, or as something narrower.
enum class Stored { floating, half, int8, int16, int32, int64, uint8, uint16, uint32, uint64, boolean };

struct ArrayHeader {
  Data data = Data::complex_;                // what it is read as: reals unless the file has complex numbers,
  Precision precision = Precision::double_;  // doubles unless it has floats or half-precision numbers
  ByteOrder bytes = ByteOrder::little;
  ArrayOrder order = ArrayOrder::c;
  Shape shape = {};       // as NumPy shows it; empty for a 0-dimensional array, which holds one element
  Index data_offset = 0;  // of the first element, in bytes from the beginning of the file; -1: it is packed
  Stored stored = Stored::floating;
  bool operator==(const ArrayHeader&) const = default;
};

inline constexpr Index array_header_limit = 64 * 1024;  // bytes that stand before the elements, at most
inline constexpr std::size_t array_dimension_limit = 64;
inline constexpr Index array_element_limit = Index{1} << 58;  // so that 16 bytes each still fit an Index

Index item_bytes(const ArrayHeader& header);
Index array_element_count(const ArrayHeader& header);
std::string dtype_text(const ArrayHeader& header);  // <c16, as NumPy has it

// A file, by its extension, and what is wanted of it.
enum class ArrayFormat { npy, npz, hdf5, raw };
struct ArrayName {
  ArrayFormat format = ArrayFormat::npy;  // of whatever has no other extension
  std::string path;
  std::string member = {};  // of .npz and .h5; empty: the only one there is. Of .raw: type, shape and first byte
};
ArrayName array_name(const std::string& text);
std::string formats_text();  // those that this build reads and writes

// Throws Error, which begins with the name, when there is no such array or its numbers cannot be taken. Of one rank.
ArrayHeader read_array_header(const ArrayName& name);

// This rank's part, as T or std::complex<T> of either precision, whatever the file holds; complex numbers cannot become
// reals. `header` is the file's, and the layout's shape its shape (reversed where the order is Fortran's). Collective.
template <class Item>  // float, double or a std::complex of them
void read_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                std::span<Item> part);

// The same of a hyperslab of an array that is not packed.
template <class Item>
void read_array_slab(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Hyperslab& slab,
                     const Layout& layout, std::span<Item> part);

// Whether the array is added to a file that is there (.h5, or .npz with other arrays); otherwise the file is made, in
// the place of what was there. Of one rank.
bool adds_to_file(const ArrayName& name);

bool keeps_order(const ArrayName& name);  // whether such a file can say that an array is in Fortran's order

// Makes room for such an array and returns the place of its first byte, for write_slab(); finish_array() when all has
// been written. Collective.
Index create_array(Transport& transport, const ArrayName& name, const ArrayHeader& header);
void finish_array(Transport& transport, const ArrayName& name);

// All of that, with data, precision, order and shape as `header` has them. The part's bytes are such numbers.
void write_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                 std::span<const std::byte> part, Flush flush = Flush::later);

// The same into a dataset of an .h5 file that is compressed by zlib, at a level from 1 to 9. Ranks of MPI write all at
// once where HDF5 is a parallel one, otherwise in turns.
void write_packed_array(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
                        std::span<const std::byte> part, int level);

}  // namespace kallima
