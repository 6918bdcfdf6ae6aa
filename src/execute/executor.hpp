#pragma once
// Runs a compiled schedule on a transport. Posts go out as soon as they may, finished messages are noticed between
// tasks, and among the tasks that can run the one with the lowest number does; only when none can does the rank wait.

#include "execute/program.hpp"
#include "kallima/trace.hpp"
#include "kallima/transport.hpp"

namespace kallima {

// The memory of one run: the caller's arrays and the rank's own.
template <class T>
struct Workspace {
  std::array<std::complex<T>*, 4> buffers{};
  std::span<std::complex<T>> tile;
};

// `trace` may be null; its times are those of a steady clock. Does not return before every message is finished.
template <class T>
void execute(const Program<T>& program, Transport& transport, const Workspace<T>& workspace, T scale, Trace* trace);

}  // namespace kallima
