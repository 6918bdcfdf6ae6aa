#pragma once
// A transport over MPI, for libraries that speak MPI themselves: the communicator its ranks have in common. Its type is
// MPI's own business.

namespace kallima {

class HasCommunicator {
 public:
  virtual ~HasCommunicator() = default;
  virtual const void* communicator() const = 0;  // where an MPI_Comm is
};

}  // namespace kallima
