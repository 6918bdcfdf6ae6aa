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

// Both of the caller's arrays may be one.
Buffer storage_of(const Piece& piece) { return piece.buffer == Buffer::out ? Buffer::in : piece.buffer; }

IterationAccess touched(const Piece& piece, const Pass& pass, Index repeat, std::size_t depth, bool writes) {
  std::vector<Index> repeats(depth + 1, 1);
  IterationAccess result{
      .first = region_of(piece, pass, repeats), .later = {}, .buffer = storage_of(piece), .writes = writes};
  Piece moved = piece;
  moved.offset += piece.strides[depth];
  repeats[depth] = repeat - 1;
  result.later = region_of(moved, pass, repeats);
  return result;
}

// Iterations of the repeat, which `depth` others enclose, are all alike but for where they are.
bool independent(const std::vector<Pass>& passes, Index repeat, std::size_t depth) {
  if (repeat <= 1) return true;
  std::vector<IterationAccess> all;
  for (const Pass& pass : passes) {
    for (const Piece& piece : pass.sources)
      if (piece.recv < 0) all.push_back(touched(piece, pass, repeat, depth, false));
    for (const Piece& piece : pass.targets) all.push_back(touched(piece, pass, repeat, depth, true));
  }
  if (all.size() * all.size() > most_pairs) return false;
  for (const IterationAccess& a : all)
    for (const IterationAccess& b : all)
      if ((a.writes || b.writes) && a.buffer == b.buffer && meet(a.first, b.later)) return false;
  return true;
}

// Only iterations of one length apart can be compared by their first: a buffer's pieces must all move alike.
bool move_alike(const std::vector<Pass>& passes, std::size_t depth) {
  std::array<std::optional<Index>, buffers.size()> reals{};
  for (const Pass& pass : passes)
    for (const std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
      for (const Piece& piece : *pieces) {
        if (piece.recv >= 0) continue;
        const Index stride = piece.strides[depth] * (piece.real ? 1 : 2);
        std::optional<Index>& known = reals[at(storage_of(piece))];
        if (known.value_or(stride) != stride) return false;
        known = stride;
      }
  return true;
}

bool spread_into(const std::vector<Step>& steps, std::size_t depth, std::vector<Pass>& passes) {
  for (const Step& step : steps) {
    if (step.body.empty()) {
      passes.push_back(step.pass);
      continue;
    }
    std::vector<Pass> body;
    if (!spread_into(step.body, depth + 1, body)) return false;
    if (step.repeat > 1 && (!move_alike(body, depth) || !independent(body, step.repeat, depth))) return false;
    for (Pass& pass : body) {
      pass.loops.insert(pass.loops.begin(), step.repeat);
      if (pass.twiddle.loop >= 0) ++pass.twiddle.loop;
      passes.push_back(std::move(pass));
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<Pass>> spread(const std::vector<Step>& steps) {
  std::vector<Pass> passes;
  if (!spread_into(steps, 0, passes)) return std::nullopt;
  return passes;
}

}  // namespace kallima::cuda
