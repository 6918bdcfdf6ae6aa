// Which way a transform goes. The rule, from measurements on an H200, is that ours is faster wherever there are tiles,
// since only such tiles are kept; a measurement is of the device at hand, in
// turns, on arrays of its own, and where there is no room for these the rule decides.

#include "cuda/cuda_check.cuh"
#include "cuda/whole/cufft_transform.hpp"
#include "cuda/whole/measured_way.hpp"
#include "cuda/whole/tile_transform.hpp"

namespace kallima::cuda {
namespace {

// Started on arrays of noise, one way after the other. Both ways need what `bytes` says, and the larger workspace.
template <class Way, class Start>
bool first_is_faster(const Way& first, const Way& second, const Start& start) {
  constexpr int rounds = 5;
  constexpr double round_ms = 2;
  const auto times = timed_in_turns({[&] { start(first); }, [&] { start(second); }}, rounds, round_ms);
  return times[0] < times[1];
}

bool has_room_for(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return bytes < free / 10 * 9;
}

template <class Way>
std::size_t workspace_of(const Way& a, const Way& b) {
  return std::max(a.workspace_bytes(), b.workspace_bytes());
}

}  // namespace

std::unique_ptr<WholeTransform> make_whole_transform(const WholeProblem& problem, ChooseBy by) {
  auto cufft = make_cufft_transform(problem);
  if (by == ChooseBy::cufft) return cufft;
  auto tiles = make_tile_transform(problem);
  if (!tiles) return cufft;
  const auto work = workspace_of(*tiles, *cufft);
  if (by == ChooseBy::rule || !has_room_for(input_bytes(problem) + output_bytes(problem) + work)) return tiles;
  const auto in = scratch_noise(input_bytes(problem), problem.precision, 1);
  const auto out = scratch_memory(output_bytes(problem)), workspace = scratch_memory(work);
  const bool ours = first_is_faster(
      *tiles, *cufft, [&](const WholeTransform& way) { way.start(in.get(), out.get(), workspace.get(), nullptr); });
  return ours ? std::move(tiles) : std::move(cufft);
}

std::unique_ptr<WholeApply> make_whole_apply(const WholeProblem& forward, FactorKind factor, ChooseBy by) {
  auto cufft = make_cufft_apply(forward, factor);
  if (by == ChooseBy::cufft) return cufft;
  auto tiles = make_tile_apply(forward, factor);
  if (!tiles) return cufft;
  const auto work = workspace_of(*tiles, *cufft), bytes = input_bytes(forward);
  if (by == ChooseBy::rule || !has_room_for(3 * bytes + work)) return tiles;
  const auto in = scratch_noise(bytes, forward.precision, 1), factors = scratch_noise(bytes, forward.precision, 2);
  const auto out = scratch_memory(bytes), workspace = scratch_memory(work);
  const bool ours = first_is_faster(*tiles, *cufft, [&](const WholeApply& way) {
    way.start(in.get(), out.get(), factors.get(), workspace.get(), nullptr);
  });
  return ours ? std::move(tiles) : std::move(cufft);
}

}  // namespace kallima::cuda
