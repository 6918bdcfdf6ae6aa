#pragma once
// Datasets of HDF5 files. One that is stored in one piece is a stretch of the file like any other, which ranks read and
// write as they do with .npy files, without HDF5's help; chunked and compressed ones HDF5 reads, each rank its part.
// Complex numbers are h5py's: compounds of r and i.

#include <span>
#include <string>

#include "kallima/array_file.hpp"

namespace kallima {

bool has_hdf5();

// An empty name means the only dataset there is. data_offset: -1 where it is not in one piece.
ArrayHeader hdf5_header(const std::string& path, const std::string& dataset);

// This rank's part, as it stands in the file.
void hdf5_read(const std::string& path, const std::string& dataset, const Layout& layout, int rank,
               std::span<std::byte> part);

// Makes the dataset, and file and groups if need be; returns where its first byte is.
Index hdf5_create(const std::string& path, const std::string& dataset, const ArrayHeader& header);

// All ranks' parts into a new dataset, compressed by zlib at a level from 1 to 9: all at once over MPI where HDF5 is a
// parallel one, otherwise one rank after the other. Collective.
void hdf5_write_packed(Transport& transport, const std::string& path, const std::string& dataset,
                       const ArrayHeader& header, const Layout& layout, std::span<const std::byte> part, int level);

bool has_parallel_hdf5();

}  // namespace kallima
