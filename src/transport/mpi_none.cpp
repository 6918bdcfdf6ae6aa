// What stands in for mpi_world.cpp where Kallima is built without MPI.

#include "base/check.hpp"
#include "transport/mpi_world.hpp"

namespace kallima {
namespace {

[[noreturn]] void no_mpi() { fail("this Kallima was built without MPI (none was found) use the threads transport"); }

}  // namespace

bool MpiWorld::available() { return false; }
bool MpiWorld::launched() { return false; }
Tuning MpiWorld::usual_tuning() { return {}; }
std::string MpiWorld::library() { return ""; }
std::vector<std::string> MpiWorld::launcher(int) { no_mpi(); }
MpiWorld::MpiWorld() { no_mpi(); }
MpiWorld::~MpiWorld() = default;
Comm MpiWorld::comm(const MpiWorldOptions&) { no_mpi(); }

}  // namespace kallima
