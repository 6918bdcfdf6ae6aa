#pragma once
// A transport with a thread beside it that moves its messages on while the rank does other things. It wraps any other
// transport and locks around every call, so that transports which are polled know nothing of threads and pay nothing.
// The thread sleeps tuning().poll_seconds between two looks, and without a timeout while nothing is under way; one that
// spins would take the core from the rank it is to help.

#include <memory>

#include "kallima/transport.hpp"

namespace kallima {

// Collective where duplicate() is. The inner transport must bear calls from two threads, one at a time.
std::unique_ptr<Transport> with_progress_thread(std::unique_ptr<Transport> inner);

}  // namespace kallima
