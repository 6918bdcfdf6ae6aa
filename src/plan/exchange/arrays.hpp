#pragma once
// Where the array of a path is at every stop, on one rank: in the caller's memory, or in allocations for all of it or
// for one part at a time.

#include <deque>
#include <map>

#include "plan/exchange/messages.hpp"
#include "plan/exchange/writer.hpp"

namespace kallima {

inline constexpr Index everything = -1;  // instead of the number of a part

// An array or a part of it, and where it is.
struct Area {
  Buffer buffer;
  Held held;
  std::optional<Block> part = {};
};

// What a stretch has of a block.
void add_shared(std::vector<Stretch>& all, const Block& block, Stretch s);

// A cell, between a packed block and its place in the array; what is a mirror image is conjugated as it arrives.
Step copied(const Cell& cell, const Stretch& packed, const Area& area, bool packs, bool scaled);

class Arrays {
 public:
  Arrays(const Path& path, int rank, const Messages& messages, Assembler& assembler)
      : path_(path),
        me_(rank),
        messages_(messages),
        assembler_(assembler),
        in_{Buffer::in, messages.work().front().held},
        out_{Buffer::out, path.out} {}

  const Area& arrival(std::size_t i, Index part);
  const Area& ready(std::size_t i, Index part);
  const Area& scratch(std::size_t i, Index part, std::size_t number, const Held& held);
  Area memory_for(const Held& held, const Block& some);
  bool is_in_place() const { return assembler_.is_in_place(); }
  bool is_one_array() const { return assembler_.is_one_array(); }
  bool changes_in_array(std::size_t stop) const;  // from the caller's input to numbers of another kind
  bool changes_sides(std::size_t stop) const;     // from `out` to the work buffer, while it is transformed
  std::size_t rows_of(const Held& held) const;
  bool may_change(const Area& a) const { return a.buffer != Buffer::in || is_in_place(); }
  Block part(const Held& held, std::size_t i, Index number) const;
  Strided place(const Area& area, const Block& block) const;
  Stretch stretch(const Area& area, const Block& block) const;

 private:
  bool is_moved(std::size_t stop) const;
  const Area& made_ready(std::size_t i, Index part);
  Area memory_for(std::size_t i, Index part, const Held& held, bool by_part);

  const Path& path_;
  const int me_;
  const Messages& messages_;
  Assembler& assembler_;
  const Area in_, out_;                                              // the caller's arrays
  std::map<std::pair<std::size_t, Index>, std::deque<Area>> areas_;  // by stop and part: where it arrives, and scratch
  std::map<std::pair<std::size_t, Index>, const Area*> ready_;       // and which of them it is at last
};

}  // namespace kallima
