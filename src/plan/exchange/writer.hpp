#pragma once
// What one rank does on a path: the one place where blocks are listed, packed, sent, received and unpacked.

#include "plan/exchange/assembler.hpp"
#include "plan/exchange/path.hpp"

namespace kallima {

// Elements somewhere: a box of slot indices, and where it stands.
struct Stretch {
  Buffer buffer = Buffer::in;
  int recv = -1;
  bool real = false;
  Block index;
  Strided place;
};

// Lines along a slot that are read from sources and written to targets, each of which has some of the elements of some
// of the lines.
struct PassStatement {
  Transform transform;
  std::vector<Stretch> sources;
  std::vector<Stretch> targets;
  bool scaled = false;
  std::optional<std::size_t> along = {};  // a slot of one index: a repeat around the passes goes on from there
};
void append_passes(std::vector<Step>& steps, const PassStatement& statement);

// The same, followed at once by a transform along the nearest slot of the one target, row after row while it is in
// cache, for slots along which nothing is done one by one: whoever has something to do `later` adds it to the body.
struct RowSteps {
  Step each;
  Index stride = 0;          // of the target, from one repeat to the next
  bool later_apart = false;  // no: it comes after all of these
};
std::optional<RowSteps> passes_with_rows(const PassStatement& statement, const Transform& rows,
                                         const std::vector<Transform>& later, bool scaled);

}  // namespace kallima
