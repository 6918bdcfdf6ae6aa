#pragma once
// The geometry of a cyclic plan as one rank sees it: where blocks stand, in which order they are made, and the loops
// over everything that a pass along the leading dimension leaves alone. A block is laid out [class][v][other
// dimensions]; there is one for each destination and chunk, and chunk c of destination r is the classes
// a = r + p*(c + C*j), j = 0, 1, ...

#include "kallima/layout.hpp"
#include "plan/cyclic.hpp"

namespace kallima {

// A loop of a pass with its steps in the rank's array, in a block, and among the outputs where the own block waits.
struct Loop {
  Index extent = 1;
  Index local = 0;
  Index block = 0;
  Index own = 0;
  bool over_v = false;
};

// A line of `count` elements with one stride per loop, taken from one of the Loop's fields.
Piece line(Buffer buffer, Index offset, Index count, Index stride, const std::vector<Loop>& loops, Index Loop::*field);

std::vector<Index> extents(const std::vector<Loop>& loops);
void slowest_first(std::vector<Loop>& loops, Index Loop::*field);
int index_of_v(const std::vector<Loop>& loops);  // -1 if there is none

struct CyclicRank {
  CyclicRank(const CyclicParameters& parameters, const Layout& layout, const PlanOptions& options, int rank);

  const CyclicDim& lead() const { return c.dims[c.lead]; }
  Index lead_stride() const { return strides[c.lead]; }
  Index slot(int destination, Index chunk) const;  // where in the work buffer a block stands
  int destination(int step) const;                 // steps 0 .. ranks-1, itself last
  int peer_index(int peer) const { return peer < me ? peer : peer - 1; }
  Buffer data() const { return in_place ? Buffer::out : Buffer::in; }
  std::vector<Loop> other_loops() const;  // over the other dimensions, within a block

  CyclicParameters c;
  int me;
  int ranks;
  Shape at;  // place in the grid
  Shape grid;
  std::vector<Index> strides;  // of the local array
  std::vector<Index> grid_strides;
  std::vector<Index> block_strides;
  Index elements;       // of the local array
  Index rest = 1;       // of a block, for one class and one v
  Index per_chunk = 1;  // classes of a chunk
  Index block = 1;      // elements of a block
  bool in_place;
  bool messages;
  Alltoall alltoall;
  bool own_in_out;  // the own block waits among the outputs, not in the work buffer
};

// Phase II of one chunk: `recv_finish[r]` is the task that received rank r's block.
std::vector<Step> cyclic_phase_two(const CyclicRank& rank, Index chunk, const std::vector<int>& recv_finish);

}  // namespace kallima
