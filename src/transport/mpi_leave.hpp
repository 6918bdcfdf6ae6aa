#pragma once
// The way out of MPI. MPI_Finalize may not return: MPICH 4.0 on UCX often waits there for ever once three hosts have
// exchanged messages. By then all work is done, so a process that has waited a while leaves without it.

namespace kallima {

// Whether all ranks arrive here; waits for them a moment, or as long as it takes.
enum class Patience { a_moment, endless };
bool all_leave(Patience patience);

void finalize_or_exit(int code);  // returns once MPI is finalised; else ends this process with `code`

}  // namespace kallima
