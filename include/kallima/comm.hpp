#pragma once
// A communicator as the user sees it: a handle to a Transport that can be copied.

#include <functional>
#include <memory>

#include "kallima/trace.hpp"
#include "kallima/transport.hpp"

namespace kallima {

class Comm {
 public:
  Comm();  // a world of one rank, this thread
  explicit Comm(std::shared_ptr<Transport> transport);
  Comm(const Comm&) = default;  // moving copies: there is always a transport
  Comm& operator=(const Comm&) = default;
  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }
  Transport& transport() const { return *transport_; }

 private:
  std::shared_ptr<Transport> transport_;
};

// Runs `body` on `ranks` threads of this process, each with its own rank of one communicator, and returns when all
// are done. If one throws, the others are woken with an Error and the first exception is thrown again here; if one
// returns while others wait for it, these are, too.
void run_threads(int ranks, const std::function<void(Comm)>& body);

// What all ranks recorded, as one trace that begins at 0, with the settings of the first that has any. Collective.
// Clocks of different machines are aligned by a few messages; what may be left is in the setting "clock error".
Trace gather(const Comm& comm, const Trace& mine);

}  // namespace kallima
