#pragma once
// Running a schedule that was planned, written by hand or read from a file, without the facade. Everything that can
// fail before messages fly fails on all ranks together.

#include <cstddef>
#include <memory>
#include <span>

#include "kallima/backend.hpp"
#include "kallima/comm.hpp"
#include "kallima/memory.hpp"

namespace kallima {

struct ExecuteOptions {
  std::shared_ptr<const Backend> backend = {};  // none: the processor's, in double precision
  Effort effort = Effort::estimate;
  long double scale = 1;                 // what scaled passes multiply by
  Trace* trace = nullptr;                // what this rank does is added to it
  std::span<const std::byte> kept = {};  // what the preparation left, for a schedule that has one
};

// What stays of a rank's schedule once it is compiled, but for tables, and how many messages it sends and receives.
struct ProgramSize {
  std::size_t bytes = 0;
  Index messages = 0;
};
ProgramSize program_size(const RankSchedule& schedule);

// What kernels hold beside buffers, in bytes: tables, each counted once, and what one computation works in. They are
// made to find out.
struct KernelSize {
  std::size_t tables = 0;
  std::size_t tile = 0;
};
KernelSize kernel_size(const RankSchedule& schedule, Direction direction, std::shared_ptr<const Backend> backend);

// This rank's part of a schedule, whose arrays hold as many elements (or reals) as it says. Workspace is allocated for
// the run. In place where both arrays begin at the same address, and then as long as the longer: the schedule must have
// been made for that. Nothing is proved here: the caller is sure of the schedule. Collective.
void execute(const RankSchedule& schedule, Direction direction, const Comm& comm, std::span<const std::byte> in,
             std::span<std::byte> out, const ExecuteOptions& options = {});

// What the preparation of a schedule leaves on this rank; nothing where it has none. Collective.
Array<std::byte> prepared(const Schedule& schedule, const Comm& comm, const ExecuteOptions& options = {});

// As execute() above, of a schedule of all ranks, which is validated first, equal on all of them, and prepared.
void execute(const Schedule& schedule, const Comm& comm, std::span<const std::byte> in, std::span<std::byte> out,
             const ExecuteOptions& options = {});

}  // namespace kallima
