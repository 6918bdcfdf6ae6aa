#pragma once
// The way out of MPI. MPI_Finalize may not return: MPICH 4.0 on UCX often waits there for ever once several hosts have
// exchanged messages, and where some ranks return and others do not its launcher loses the exit code. By then all work
// is done: there all ranks leave without it, and anywhere else one that has waited a while does.

namespace kallima {

// Whether all ranks arrive here; waits for them a moment, or as long as it takes.
enum class Patience { a_moment, endless };
bool all_leave(Patience patience);

[[noreturn]] void exit_without_finalize(int code);  // once all leave

void finalize_or_exit(int code);  // returns once MPI is finalised; else ends this process with `code`

}  // namespace kallima
