// HDF5 that was built with the MPI that ranks use.

#include <hdf5.h>

#include "file/hdf5.hpp"
#include "file/hdf5_sharing.hpp"
#include "transport/has_communicator.hpp"

namespace kallima {

bool has_parallel_hdf5() { return true; }

bool share_files(std::int64_t access_list, Transport& transport) {
  const auto* const mpi = dynamic_cast<const HasCommunicator*>(&transport);
  return mpi != nullptr &&
         H5Pset_fapl_mpio(access_list, *static_cast<const MPI_Comm*>(mpi->communicator()), MPI_INFO_NULL) >= 0;
}

void share_moves(std::int64_t transfer_list) { H5Pset_dxpl_mpio(transfer_list, H5FD_MPIO_COLLECTIVE); }

}  // namespace kallima
