#pragma once
// The geometry of a cyclic plan as one rank sees it: where blocks stand, in which order they are made, and the loops
// over everything that a pass along the leading dimension leaves alone. Destination r gets the classes a = r + p*b;
// chunk c of them is a run of neighbouring b, which share cache lines, or b = c + C*j where a tree splits them. What a
// destination gets is cut into parts along the sliced dimension, one for each early slice and a late one; a part is
// laid out [chunk][class][v][other dimensions]. An early part is one message, of the late part each chunk is one.

#include <algorithm>

#include "kallima/layout.hpp"
#include "plan/routes/cyclic.hpp"

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
  Index slot(int destination, Index part, Index chunk) const;  // where in the work buffer it stands
  int destination(int step) const;                             // steps 0 .. ranks-1, itself last
  int peer_index(int peer) const { return peer < me ? peer : peer - 1; }
  Buffer data() const { return in_place ? Buffer::out : Buffer::in; }
  Index every_class() const {
    return c.radices.empty() ? 1 : c.chunks;
  }  // the step from one class of a chunk to the next
  Index first_class(Index chunk) const { return c.radices.empty() ? chunk * per_chunk : chunk; }

  Index slice_begin(Index slice) const { return slice * sliced_extent / c.slices; }
  Index part_begin(Index part) const { return slice_begin(part); }
  Index part_end(Index part) const { return part < c.early ? slice_begin(part + 1) : sliced_extent; }
  Index part_extent(Index part) const { return part_end(part) - part_begin(part); }
  bool slices_v() const { return c.sliced == c.lead; }

  // Of a part: distances of neighbouring classes and v, and the elements of a chunk.
  Index class_stride(Index part) const { return lead().S * rest / sliced_extent * part_extent(part); }
  Index v_stride(Index part) const { return slices_v() ? rest : rest / sliced_extent * part_extent(part); }
  Index chunk_elements(Index part) const { return per_chunk * class_stride(part); }

  // Messages to or from one peer: early parts, then the chunks of the late one.
  Index messages_per_peer() const { return c.early + c.chunks; }
  Index part_of(Index message) const { return std::min(message, c.early); }
  Index message_elements(Index message) const {
    return chunk_elements(part_of(message)) * (message < c.early ? c.chunks : 1);
  }
  Index message_place(int destination, Index message) const {  // in the work buffer
    return slot(destination, part_of(message), message < c.early ? 0 : message - c.early);
  }

  std::vector<Loop> other_loops(Index extent) const;  // over the other dimensions, `extent` of the sliced one

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
  Index sliced_extent = 1;
  bool in_place;
  bool messages;
  Alltoall alltoall;
  bool own_in_out;  // the own block waits among the outputs, not in the work buffer
};

// Phase II of one chunk: `recv_finish[message][r]` is the task that received it from rank r.
std::vector<Step> cyclic_phase_two(const CyclicRank& rank, Index chunk,
                                   const std::vector<std::vector<int>>& recv_finish);

}  // namespace kallima
