#pragma once
// Programs whose ranks do not do the same, each of which would leave somebody waiting for ever. On threads they are an
// Error, on MPI the end of the job; either way with the words given here, and soon.

#include <functional>
#include <string>
#include <vector>

#include "kallima/file.hpp"
#include "kallima/integer.hpp"
#include "kallima/ntt.hpp"
#include "kallima/sort.hpp"
#include "kallima/spectral.hpp"

namespace kallima::suite {

using Numbers = std::span<const Index>;
using Field = std::vector<std::complex<double>>;

inline const FftOptions quickly{.effort = Effort::estimate};

// Two transforms alike, with an array for each side.
struct TwoFfts {
  explicit TwoFfts(const Comm& comm) : a({.shape = {16, 9}}, comm, quickly), b({.shape = {16, 9}}, comm, quickly) {}
  Fft<double> a, b;
  Field x = Field(static_cast<std::size_t>(a.local_size_in()), 1.0), y = x, z = x, w = x;
};

inline void cross_transforms(const Comm& comm) {
  TwoFfts f(comm);
  f.a.forward(f.x, f.y);
  const bool first = comm.rank() == 0;
  (first ? f.a : f.b).forward(f.x, f.y);
  (first ? f.b : f.a).forward(f.x, f.z);
}

inline void cross_directions(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0)
    f.a.forward(f.x, f.y);
  else
    f.a.backward(f.x, f.y);
  f.a.forward(f.x, f.y);
}

inline void transform_while_another_plans(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0) f.a.forward(f.x, f.y);
  const Fft<double> third({.shape = {8}}, comm, quickly);
}

inline void transform_once_more(const Comm& comm) {
  TwoFfts f(comm);
  for (int i = 0; i < 3 - comm.rank(); ++i) f.a.forward(f.x, f.y);
}

inline void transform_more_at_once(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0)
    f.a.forward_many(std::vector{f.x, f.x, f.x}, std::vector{std::span(f.y), std::span(f.z), std::span(f.w)});
  else
    f.a.forward_many(std::vector{f.x, f.x}, std::vector{std::span(f.y), std::span(f.z)});
  f.b.forward(f.x, f.y);
}

inline void rehearse_different_parts(const Comm& comm) {
  TwoFfts f(comm);
  f.a.rehearse(comm.rank() == 0 ? Only::communication : Only::computation, f.x, f.y);
  f.a.forward(f.x, f.y);
}

inline void apply_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0)
    f.a.apply(f.x, f.y, [](Numbers) { return 1.0; });
  else
    f.a.forward(f.x, f.y);
}

inline void ask_for_a_report_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0)
    f.a.wire_report();
  else
    f.a.forward(f.x, f.y);
}

inline void gather_while_another_meets(const Comm& comm) {
  if (comm.rank() == 0)
    gathered(comm.transport(), 1);
  else
    comm.transport().barrier();
}

inline void read_while_another_gathers(const Comm& comm) {
  const Layout layout = Layout::blocks({4}, {comm.size()}, comm.size());
  std::vector<std::byte> part(static_cast<std::size_t>(layout.local_size(comm.rank())));
  if (comm.rank() == 0)
    read_part(comm.transport(), "/dev/null", 0, layout, 1, part);
  else
    gather(comm, Trace{});
}

inline void execute_parts_of_different_schedules(const Comm& comm) {
  const Problem problem{.shape = {64}};
  const PlanOptions options{.route = "cyclic", .chunks = comm.rank() == 0 ? 2 : 4};
  const RankSchedule mine = plan(problem, comm.size(), options)->rank_schedule(comm.rank(), Direction::forward);
  Field in(static_cast<std::size_t>(mine.size(Buffer::in))), out(static_cast<std::size_t>(mine.size(Buffer::out)));
  execute(mine, Direction::forward, comm, std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)));
}

inline void read_by_different_layouts(const Comm& comm) {
  const Layout rows = Layout::blocks({4, 4}, {comm.size(), 1}, comm.size());
  const Layout columns = Layout::blocks({4, 4}, {1, comm.size()}, comm.size());
  const Layout& layout = comm.rank() == 0 ? rows : columns;
  std::vector<std::byte> part(static_cast<std::size_t>(layout.local_size(comm.rank())));
  read_part(comm.transport(), "/proc/self/exe", 0, layout, 1, part);
}

inline void sort_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  std::vector<double> part(100, 1.0);
  if (comm.rank() == 0)
    sort(std::span(part), comm);
  else
    f.a.forward(f.x, f.y);
}

inline void sort_differently(const Comm& comm) {
  std::vector<double> part(128, 1.0);
  sort(std::span(part), comm, comm.rank() == 0 ? SortMethod::sample : SortMethod::bitonic);
}

inline void add_up_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  if (comm.rank() == 0)
    comm.sum(1.0);
  else
    f.a.forward(f.x, f.y);
}

inline void add_up_different_lengths(const Comm& comm) {
  std::vector<double> values(comm.rank() == 0 ? 3 : 5000, 1.0);
  comm.sum(values);
}

inline void transform_residues_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  Ntt ntt({.shape = {64}}, comm);
  std::vector<std::uint64_t> in(static_cast<std::size_t>(ntt.local_size_in())), out(in.size());
  if (comm.rank() == 0)
    ntt.forward(in, out);
  else
    f.a.forward(f.x, f.y);
}

inline void multiply_while_another_transforms(const Comm& comm) {
  TwoFfts f(comm);
  IntegerProduct product(100, 100, comm);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(product.local_words()));
  if (comm.rank() == 0) product.square(words, words);
  f.a.forward(f.x, f.y);
}

struct Misuse {
  std::string name;
  std::function<void(const Comm&)> body;
  std::vector<std::string> words;  // of the report
};

inline std::ostream& operator<<(std::ostream& to, const Misuse& misuse) { return to << misuse.name; }

inline const std::vector<Misuse>& misuses() {
  static const std::vector<Misuse> all = {
      {"crossed_transforms", cross_transforms, {"rank 0", "rank 1", "forward (shape 16x9) of the plan made in call"}},
      {"crossed_directions", cross_directions, {"rank 0", "rank 1", "forward (shape 16x9)", "backward (shape 16x9)"}},
      {"a_plan_here", transform_while_another_plans, {"rank 0", "rank 1", "planning", "forward"}},
      {"once_more_here", transform_once_more, {"rank 1 has left"}},
      {"more_at_once_here", transform_more_at_once, {"rank 0", "rank 1", "forward"}},
      {"rehearsals_of_different_parts", rehearse_different_parts, {"rank 0", "rank 1", "rehearsal"}},
      {"apply_here", apply_while_another_transforms, {"rank 0", "rank 1", "apply", "forward"}},
      {"a_report_here", ask_for_a_report_while_another_transforms, {"rank 0", "rank 1", "wire report", "forward"}},
      {"gather_here", gather_while_another_meets, {"rank 0", "rank 1", "gather", "barrier"}},
      {"different_schedules", execute_parts_of_different_schedules, {"different plans"}},
      {"different_layouts", read_by_different_layouts, {"layout", "rank 0", "rank 1"}},
      {"sort_here", sort_while_another_transforms, {"rank 0", "rank 1", "sort", "forward"}},
      {"other_sort_here", sort_differently, {"rank 0", "rank 1", "method", "sample", "bitonic"}},
      {"a_sum_here", add_up_while_another_transforms, {"rank 0", "rank 1", "reduc", "forward"}},
      {"longer_sum_here", add_up_different_lengths, {"rank 0", "rank 1"}},
      {"residues_here", transform_residues_while_another_transforms, {"rank 0", "rank 1", "forward (shape 64)"}},
      {"a_product_here", multiply_while_another_transforms, {"rank 0", "rank 1", "forward"}},
      {"reading_here", read_while_another_gathers, {"rank 0", "rank 1", "reading", "gathering a trace"}},
  };
  return all;
}

}  // namespace kallima::suite
