#pragma once
// Collective operations as schedules: everything each rank sends, copies and adds up, written down as data, to be run,
// priced or drawn like a transform's (Solomonik, Design of Parallel and High-Performance Computing, ETH Zurich 2015).
// The root is rank 0. Vectors of `words` elements are dealt out in blocks where a rank needs a part of one: part i is
// [i words/ranks, (i+1) words/ranks), rounded down. Parts may be uneven or empty; an empty one is not sent.

#include <span>
#include <utility>

#include "kallima/plan.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

// What a collective is for, and how many elements it reads from `in` and writes to `out` on a rank, s being `words`.
enum class Meaning {
  broadcast,       // in: s on the root, nothing elsewhere; out: s
  scatter,         // in: s on the root; out: the rank's part
  gather,          // in: the rank's part; out: s on the root, nothing elsewhere
  allgather,       // in: the rank's part; out: s
  reduce_scatter,  // in: s; out: the rank's part of the sum over ranks
  reduce,          // in: s; out: the sum, s on the root, nothing elsewhere
  allreduce,       // in: s; out: the sum, s
  scan,            // in: s; out: the sum over this rank and all before it, s
  alltoall         // in: s, of which part i goes to rank i; out: what came from rank 0, 1, ..., each the rank's part
};

struct Collective {
  std::string name;  // one of collective_names()
  int ranks = 1;
  Index words = 1;        // s: of the whole input (one to all), the whole output (all to one), or one rank's (else)
  Index packet = 0;       // of pipelined broadcasts; 0: best_packet()
  double startup = 1000;  // what starting a message costs, in words that could be sent instead (alpha/beta)
  Exchange exchange = Exchange::views;
  bool operator==(const Collective&) const = default;
};

// The names a collective may have, each with a line of explanation.
std::vector<std::pair<std::string, std::string>> collective_names();
Meaning collective_meaning(const std::string& name);

// Elements of `in` and `out` on one rank, and where a rank's part of the vector begins (ranks: where it ends).
Index collective_in(const Collective& collective, int rank);
Index collective_out(const Collective& collective, int rank);
Index collective_part(const Collective& collective, int rank);

// sqrt(s/log2 P) sqrt(startup), and sqrt(1/2) of it for the double tree, but between 1 and s.
Index best_packet(const Collective& collective);

// Throw Error where the collective does not exist or cannot be had on so many ranks, and say what can.
RankSchedule collective_schedule(const Collective& collective, int rank);
Schedule collective_schedule(const Collective& collective);  // all ranks

class Comm;
struct Trace;

// Runs it: `in` and `out` have the sizes above and do not overlap. All ranks call it with the same Collective, and all
// throw or none does. What this rank did is added to `trace`, if there is one. T is float or double.
template <class T>
void run_collective(const Comm& comm, const Collective& collective, std::span<const std::complex<T>> in,
                    std::span<std::complex<T>> out, Trace* trace = nullptr);

}  // namespace kallima
