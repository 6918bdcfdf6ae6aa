// What stands in for hdf5.cpp where Kallima is built without HDF5.

#include "base/check.hpp"
#include "file/hdf5.hpp"

namespace kallima {
namespace {

[[noreturn]] void no_hdf5(const std::string& path) {
  fail("{} cannot be used (this Kallima was built without HDF5) install libhdf5-dev and build again, or use .npy",
       path);
}

}  // namespace

bool has_hdf5() { return false; }
ArrayHeader hdf5_header(const std::string& path, const std::string&) { no_hdf5(path); }
void hdf5_read(const std::string& path, const std::string&, const Layout&, int, std::span<std::byte>) { no_hdf5(path); }
bool has_parallel_hdf5() { return false; }
void hdf5_write_packed(Transport&, const std::string& path, const std::string&, const ArrayHeader&, const Layout&,
                       std::span<const std::byte>, int) {
  no_hdf5(path);
}
Index hdf5_create(const std::string& path, const std::string&, const ArrayHeader&) { no_hdf5(path); }

}  // namespace kallima
