#pragma once
// A route's statement: where the array is held, one after the other, and what is transformed in each place. Between two
// stops data is exchanged. Everything else follows: what is transformed while blocks are packed or unpacked, how the
// work is cut so that messages travel meanwhile, who sends what to whom, where it stands and who waits for whom.

#include <utility>

#include "kallima/plan.hpp"
#include "plan/exchange/held.hpp"

namespace kallima {

// Along a slot that every rank holds whole. Output k is then multiplied by omega_modulus^(k * sum of weight * index),
// over the slots of `by`.
struct Transform {
  std::size_t slot = 0;
  Kind kind = Kind::fourier;
  Index length = 1;   // of the transform, which is the extent of the slot where that does not change
  Index modulus = 0;  // 0: not multiplied
  std::vector<std::pair<std::size_t, Index>> by = {};
};

struct Stop {
  Held held;                               // as the array comes in
  std::vector<Transform> transforms = {};  // in this order
  std::optional<Held> seen = {};           // the same memory in other slots, in which they are done
  std::optional<Held> result = {};         // how these slots shall stand when that is done,
  std::optional<Held> left = {};           // and as what that memory is seen when it goes on
  CellsOf cells = {};                      // what ranks share on the way here, where that is not a box of slots
  Cut cut = {};                            // the parts in which it is worked on
  std::optional<Cut> arrives = {};         // and in which it comes, if these are others
  bool by_peer = false;                    // all parts that come from one rank before those of the next one
  Index early = 0;                         // of these parts, those that are sent as soon as they are made
  bool streams = false;                    // a part is read, transformed and sent on before the next one is read
  std::string name = {};                   // of where it is, for explanations
};

struct Path {
  std::vector<Stop> stops;
  Held out;                         // the result, in the slots of the last stop
  std::vector<Index> radices = {};  // by which a transform is split into a tree of classes; empty: it is not
  std::size_t tree_stop = 0;        // where that is
  std::string phase = {};           // what a stop is called in reports: "phase" or "superstep"; empty: by what it does
  bool open = false;                // ranks see all of each other's memory: arrays need not be packed
  bool even = false;                // all ranks own alike, and parts shall be alike, too
  int thrift = 0;                   // how much less memory it shall take, if exchanges are then hidden less
  int exchanges() const { return static_cast<int>(stops.size()) - 1; }
};

bool changes(const Transform& t);     // what the array holds: reals become complex numbers, or the other way round
bool is_special(const Transform& t);  // it needs a pass of its own, to change the array or to multiply it
Held after(const Held& held, const std::vector<Transform>& transforms);
const Held& worked(const Stop& stop);  // the array in the slots in which it is transformed
Cut arriving(const Stop& stop);        // the parts in which it comes
// Blocks are read where they stand: one message says that all are there.
bool is_announced(const Path& path, const PlanOptions& options);
bool transforms_at(const Stop& stop, std::size_t slot);
// Whether an array in parts along a slot can be transformed: along that slot, all parts together come after what is done
// in each of them, where that leaves an array what it is.
bool can_be_in_parts(const Stop& stop, std::size_t slot);
// Whether parts of a slot have about the same indices before an exchange and after it: those of a whole slot are not
// those of its blocks.
bool has_same_parts(const Stop& from, const Stop& to, std::size_t slot);
Block typical(const Spread& spread);  // what the first of the ranks owns that own anything, or the last if that is more

// The same the other way round, by inverse transforms. Of paths whose exchanges are between boxes of slots.
Path reversed(const Path& path);

// Moves transforms to a later stop that can do them, where more is hidden behind them, and decides how everything is
// cut into parts: with as much thrift as it takes to keep to three times a rank's data, or twice that in place.
void settle(Path& path, const PlanOptions& options);

// Of a rank's data: both arrays and the workspace, or one array and the workspace.
inline constexpr double most_out_of_place = 3.2;
inline constexpr double most_in_place = 2.3;
inline constexpr Index least_elements = 1024;  // of a rank: what fewer take is not looked at
inline constexpr Index most_messages = 16384;  // of a rank: with more, who waits for whom takes minutes

inline constexpr Index fewest_chunks = 8;       // that a stop should be cut into,
inline constexpr Index most_chunks = 32;        // and that it is
inline constexpr int most_thrift_of_early = 3;  // after which there are more parts, and no transform is moved
inline constexpr int thrift_at_once = 7;        // nothing is cut any more, and what is sent makes room
inline constexpr int thrift_of_rounds = 8;      // nothing is done while packing, and few blocks travel at a time,
inline constexpr int thrift_of_blocks = 10;     // arrays are packed as they are made, before any of them travels,
inline constexpr int thrift_of_peers = 12;      // which come peer by peer, and are then in few parts of an array,
inline constexpr int most_thrift = 16;          // of 2, 4, ... parts that are messages of their own

// Each array is made whole, and goes to the next in rounds: nothing is in memory but two arrays and a few blocks.
inline bool goes_in_rounds(const Path& path) { return path.thrift >= thrift_of_rounds; }
inline bool goes_as_blocks(const Path& path) { return path.thrift >= thrift_of_blocks; }
inline bool goes_by_peer(const Path& path) { return path.thrift >= thrift_of_peers; }
inline bool goes_round_by_round(const Path& path) {
  return goes_in_rounds(path) && !goes_by_peer(path) && path.thrift % 2 == 1;
}

// Whether a stop takes what comes in parts: so that messages travel meanwhile, or because all of it at once would take
// memory twice, besides what is sent on or for what is made of it before it is the result.
bool needs_parts(const Path& path, std::size_t stop, const PlanOptions& options);
Index peers_of(const Path& path, std::size_t stop);  // ranks that a rank's part of a stop comes from
void cut_work(Path& path, const PlanOptions& options);
void cut_into_rounds(Path& path, const PlanOptions& options);  // blocks are short, and arrays may be in parts

inline constexpr Index most_rounds = 128;  // in which an array goes to the next, of which two are under way

// What one rank does, and the memory that this takes besides the caller's, in words.
Index workspace_of(const Path& path, const PlanOptions& options, int rank);
RankSchedule tasks_of(const Path& path, const PlanOptions& options, int rank);

}  // namespace kallima
