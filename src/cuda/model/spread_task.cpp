#include "cuda/model/spread_task.hpp"

#include "plan/exchange/region.hpp"

namespace kallima::cuda {
namespace {

constexpr std::size_t most_pairs = 20000;  // of pieces that are looked at

// A piece of a pass in the first iteration of a repeat, and in all later ones.
struct IterationAccess {
  Footprint first, later;
  Buffer buffer;
  bool writes;
};

struct Repeat {
  Index count;
  std::size_t depth;  // how many others enclose it
  Callers arrays;
  Buffer storage_of(const Piece& piece) const {
    return piece.buffer == Buffer::out && arrays == Callers::maybe_one ? Buffer::in : piece.buffer;
  }
};

IterationAccess touched(const Piece& piece, const Pass& pass, const Repeat& repeat, bool writes) {
  const auto& [count, depth, arrays] = repeat;
  std::vector<Index> repeats(depth + 1, 1);
  IterationAccess result{
      .first = region_of(piece, pass, repeats), .later = {}, .buffer = repeat.storage_of(piece), .writes = writes};
  Piece moved = piece;
  moved.offset += piece.strides[depth];
  repeats[depth] = count - 1;
  result.later = region_of(moved, pass, repeats);
  return result;
}

// Iterations of the repeat are all alike but for where they are.
bool independent(const std::vector<Pass>& passes, const Repeat& repeat) {
  if (repeat.count <= 1) return true;
  std::vector<IterationAccess> all;
  for (const Pass& pass : passes) {
    for (const Piece& piece : pass.sources)
      if (piece.recv < 0) all.push_back(touched(piece, pass, repeat, false));
    for (const Piece& piece : pass.targets) all.push_back(touched(piece, pass, repeat, true));
  }
  if (all.size() * all.size() > most_pairs) return false;
  for (const IterationAccess& a : all)
    for (const IterationAccess& b : all)
      if ((a.writes || b.writes) && a.buffer == b.buffer && meet(a.first, b.later)) return false;
  return true;
}

// Only iterations of one length apart can be compared by their first: a buffer's pieces must all move alike.
bool move_alike(const std::vector<Pass>& passes, const Repeat& repeat) {
  std::array<std::optional<Index>, buffers.size()> reals{};
  for (const Pass& pass : passes)
    for (const std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
      for (const Piece& piece : *pieces) {
        if (piece.recv >= 0) continue;
        const Index stride = piece.strides[repeat.depth] * (piece.real ? 1 : 2);
        std::optional<Index>& known = reals[at(repeat.storage_of(piece))];
        if (known.value_or(stride) != stride) return false;
        known = stride;
      }
  return true;
}

bool spread_into(const std::vector<Step>& steps, std::size_t depth, Callers arrays, std::vector<Pass>& passes) {
  for (const Step& step : steps) {
    if (step.body.empty()) {
      passes.push_back(step.pass);
      continue;
    }
    std::vector<Pass> body;
    if (!spread_into(step.body, depth + 1, arrays, body)) return false;
    const Repeat repeat{step.repeat, depth, arrays};
    if (step.repeat > 1 && (!move_alike(body, repeat) || !independent(body, repeat))) return false;
    for (Pass& pass : body) {
      pass.loops.insert(pass.loops.begin(), step.repeat);
      if (pass.twiddle.loop >= 0) ++pass.twiddle.loop;
      passes.push_back(std::move(pass));
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<Pass>> spread(const std::vector<Step>& steps, Callers arrays) {
  std::vector<Pass> passes;
  if (!spread_into(steps, 0, arrays, passes)) return std::nullopt;
  return passes;
}

std::optional<SpreadTask> spread_task(const std::vector<Step>& steps) {
  for (const Callers arrays : {Callers::maybe_one, Callers::two})
    if (auto passes = spread(steps, arrays)) return SpreadTask{std::move(*passes), arrays};
  return std::nullopt;
}

}  // namespace kallima::cuda
