#include "exact/carries.hpp"

namespace kallima {

// What a run carries out is added to the next; that may carry again, but not more than one, and whether it does depends
// on all before only where a run is all ones or all zeros: what runs make of a carry is a map, and maps are scanned.
void resolve_carries(Transport& transport, const RowRuns& runs, std::span<const Int128> carries) {
  const std::size_t R = carries.size(), ranks = at(transport.size()), last = at(runs.active - 1);
  std::vector<Int128> all(ranks * R);
  transport.gather(std::as_bytes(carries), std::as_writable_bytes(std::span(all)));
  const auto mine = at(transport.rank());
  const auto run_of = [&](std::size_t row) { return runs.digits.subspan(row * at(runs.columns), at(runs.columns)); };
  std::vector<CarryMap> maps(R), every(ranks * R);
  for (std::size_t row = 0; row < R && mine <= last; ++row) {
    Int128 carry = 0;
    if (mine > 0) carry = all[(mine - 1) * R + row];
    if (mine == 0 && row > 0) carry = all[last * R + row - 1];
    const int out = add_to_run(runs.kind, run_of(row), carry);
    maps[row] = carry_map(runs.kind, run_of(row), out);
  }
  transport.gather(std::as_bytes(std::span(maps)), std::as_writable_bytes(std::span(every)));
  int carry = 0;
  for (std::size_t row = 0; row < R; ++row)
    for (std::size_t rank = 0; rank <= last; ++rank) {
      if (rank == mine && carry != 0) add_to_run(runs.kind, run_of(row), carry);
      carry = every[rank * R + row](carry);
    }
}

}  // namespace kallima
