// HDF5 as most have it.

#include "file/hdf5.hpp"
#include "file/hdf5_sharing.hpp"

namespace kallima {

bool has_parallel_hdf5() { return false; }
bool share_files(std::int64_t, Transport&) { return false; }
void share_moves(std::int64_t) {}

}  // namespace kallima
