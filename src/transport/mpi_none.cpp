// What stands in for mpi_world.cpp where Kallima is built without MPI.

#include "base/check.hpp"
#include "kallima/job.hpp"

namespace kallima {
namespace {

[[noreturn]] void no_mpi() { fail("this Kallima was built without MPI (none was found) use the threads transport"); }

}  // namespace

bool MpiWorld::available() { return false; }
bool MpiWorld::launched() { return false; }
std::string MpiWorld::library() { return ""; }
std::string MpiWorld::remedy() { return ""; }
std::vector<std::string> MpiWorld::launcher(int) { no_mpi(); }
MpiWorld::MpiWorld(const MpiWorldOptions&) { no_mpi(); }
MpiWorld::~MpiWorld() = default;
Comm MpiWorld::comm(const MpiWorldOptions&) { no_mpi(); }
Comm MpiWorld::first(int, const MpiWorldOptions&) { no_mpi(); }

}  // namespace kallima
