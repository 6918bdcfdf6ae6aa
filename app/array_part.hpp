#pragma once
// A rank's part of an array in a file of any format, by the name that the command line has for it. Collective.

#include <memory>
#include <span>

#include "app/files.hpp"
#include "kallima/array_file.hpp"

namespace kallima::cli {

// Looks at the file and makes sure that all ranks see the same.
ArrayHeader array_header(Transport& transport, const std::string& name);

// As numbers of the header's own data and precision, which the bytes are for.
void read_array_part(Transport& transport, const std::string& name, const ArrayHeader& header, const Layout& layout,
                     std::span<std::byte> part);

// Throws unless an array of so many bytes can be written there. Of one rank.
void check_array_target(const std::string& name, Index bytes);

// Where to write an array: beside the file that it will be (with the other arrays of an .npz file), and in its place
// once commit() is called, the old one being there until then; of an HDF5 file that exists, that file itself.
// Collective but for the destructor.
class ArrayTarget {
 public:
  ArrayTarget(Transport& transport, const std::string& name);
  const ArrayName& file() const { return file_; }
  void commit(Flush flush);

 private:
  Transport& transport_;
  ArrayName file_;
  std::unique_ptr<Replacement> replacement_;  // of one rank
};

// All ranks' parts together become the file, which is replaced when all has gone well and untouched otherwise; of a
// file with other arrays, one more of them. `compress`: by zlib, at a level from 1 to 9; 0: not.
void write_array_part(Transport& transport, const std::string& name, const ArrayHeader& header, const Layout& layout,
                      std::span<const std::byte> part, Flush flush = Flush::later, int compress = 0);

}  // namespace kallima::cli
