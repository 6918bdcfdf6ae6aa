#include "plan/routes/cyclic_rank.hpp"

#include <algorithm>
#include <bit>

#include "plan/exchange/axes.hpp"

namespace kallima {

Piece line(Buffer buffer, Index offset, Index count, Index stride, const std::vector<Loop>& loops, Index Loop::*field) {
  Piece piece{.buffer = buffer, .offset = offset, .count = count, .stride = stride};
  for (const Loop& loop : loops) piece.strides.push_back(loop.*field);
  return piece;
}

std::vector<Index> extents(const std::vector<Loop>& loops) {
  std::vector<Index> result;
  for (const Loop& loop : loops) result.push_back(loop.extent);
  return result;
}

void slowest_first(std::vector<Loop>& loops, Index Loop::*field) {
  std::stable_sort(loops.begin(), loops.end(), [=](const Loop& a, const Loop& b) { return a.*field > b.*field; });
}

int index_of_v(const std::vector<Loop>& loops) {
  const auto v = std::find_if(loops.begin(), loops.end(), [](const Loop& loop) { return loop.over_v; });
  return v == loops.end() ? -1 : static_cast<int>(v - loops.begin());
}

CyclicRank::CyclicRank(const CyclicParameters& parameters, const Layout& layout, const PlanOptions& options, int rank)
    : c(parameters),
      me(rank),
      ranks(layout.active_ranks()),
      at(layout.coordinates(rank)),
      grid(layout.grid()),
      strides(row_major(layout.local_shape(rank))),
      grid_strides(row_major(grid)),
      block_strides(c.dims.size(), 0),
      elements(layout.local_size(rank)),
      in_place(options.placement == Placement::in_place),
      messages(options.exchange == Exchange::messages),
      alltoall(options.alltoall) {
  for (std::size_t k = c.dims.size(); k-- > 0;) {
    if (k == c.lead) continue;
    block_strides[k] = rest;
    rest *= c.dims[k].m / c.dims[k].p;
  }
  per_chunk = lead().R / (lead().p * c.chunks);
  const CyclicDim& cut = c.dims[c.sliced];
  sliced_extent = slices_v() ? cut.S : cut.m / cut.p;
  const bool one_pass = c.radices.empty();
  const bool one_split = c.radices.size() == 1 && lead().S == 1;
  own_in_out = !in_place && c.distributed_dims == 1 && (one_pass || one_split);
}

// Early parts come first, then the late one chunk by chunk.
Index CyclicRank::slot(int destination, Index part, Index chunk) const {
  const Index destinations = own_in_out ? ranks - 1 : ranks;
  const Index place = own_in_out ? peer_index(destination) : destination;
  const Index block = chunk_elements(part);
  if (part < c.early) {
    const Index before = lead().S * rest / sliced_extent * per_chunk * part_begin(part);  // of one chunk
    return destinations * c.chunks * before + (place * c.chunks + chunk) * block;
  }
  const Index early = lead().S * rest / sliced_extent * per_chunk * part_begin(c.early) * c.chunks * destinations;
  if (c.radices.size() <= 1) return early + (chunk * destinations + place) * block;
  Index residue = destination + lead().p * chunk;  // a leaf of the tree of splits: its digits, first split first
  Index position = 0;
  for (const Index radix : c.radices) {
    position = position * radix + residue % radix;
    residue /= radix;
  }
  return position * block;
}

// At every step each rank sends to a different one: exclusive or where the number of ranks allows it (Sahay's order),
// any Latin square otherwise.
int CyclicRank::destination(int step) const {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
  if (alltoall == Alltoall::pairwise) return me ^ ((step + 1) % ranks);
  if (alltoall == Alltoall::automatic && power_of_two) return (ranks - 1 - me) ^ step;
  return (me + 1 + step) % ranks;
}

std::vector<Loop> CyclicRank::other_loops(Index extent) const {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k < c.dims.size(); ++k) {
    const CyclicDim& d = c.dims[k];
    if (k == c.lead) continue;
    loops.push_back({.extent = k == c.sliced ? extent : d.m / d.p,
                     .local = strides[k],
                     .block = block_strides[k],
                     .own = strides[k]});
  }
  return loops;
}

}  // namespace kallima
