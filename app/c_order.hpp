#pragma once
// An array that was read in Fortran's order, for files that know C's only. Its layout has the dimensions the other way
// round; ranks get slabs of what is the first one in C, and turn them around for themselves.

#include "kallima/array_file.hpp"
#include "kallima/memory.hpp"
#include "kallima/redistribute.hpp"

namespace kallima::cli {

template <class Item>
struct TurnedPart {
  Layout layout;
  Array<Item> part;
};

// Dimensions the other way round.
template <class Item>
void turn_around(const Shape& shape, std::span<const Item> from, std::span<Item> to) {
  Shape j(shape.size(), 0), step(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) step[k] = step[k - 1] * shape[k - 1];
  Index place = 0;
  for (const Item& item : from) {
    to[static_cast<std::size_t>(place)] = item;
    for (std::size_t k = shape.size(); k-- > 0;) {
      place += step[k];
      if (++j[k] < shape[k]) break;
      place -= step[k] * shape[k];
      j[k] = 0;
    }
  }
}

// Collective.
template <class Item>
TurnedPart<Item> turned_around(const Comm& comm, const Layout& layout, std::span<const Item> part) {
  const Shape& reversed = layout.shape();
  const Shape shape(reversed.rbegin(), reversed.rend());
  const Layout slabs = Layout::slabs(reversed, comm.size(), reversed.size() - 1);
  TurnedPart<Item> result{Layout::slabs(shape, comm.size()), {}};
  Array<Item> here;
  together(comm.transport(), [&] {
    here = Array<Item>(slabs.local_size(comm.rank()));
    result.part = Array<Item>(slabs.local_size(comm.rank()));
  });
  redistribute<Item>(layout, slabs, part, here.span(), comm);
  turn_around<Item>(slabs.local_shape(comm.rank()), here.span(), result.part.span());
  return result;
}

}  // namespace kallima::cli
