#pragma once
// Who exchanges what with whom on a path, seen from one rank, and what is transformed on the way.

#include "plan/exchange/path.hpp"

namespace kallima {

// What two ranks exchange at once, or a rank keeps.
struct BlockMessage {
  int peer = -1;
  Block index = {};              // of slots that both arrays have: which indices it has of these
  std::vector<Cell> cells = {};  // empty where packing and unpacking are parts of transforms
  Index count = 0;
  Buffer memory = Buffer::work;
  Index at = 0;     // where it stands there, in elements
  int start = -1;   // the task that receives it,
  int finish = -1;  // and the one that ends it
};

// Messages of the same part of the work: slices of what the sender has, chunks of what the receiver gets.
struct Bundle {
  Index first_slice = 0, last_slice = 0;
  Index first_chunk = 0, last_chunk = 0;
  int tag = 0;
  std::vector<BlockMessage> sent = {};      // in the order of sending
  std::vector<BlockMessage> received = {};  // in the order of coming
  std::optional<BlockMessage> kept = {};
  Index words_sent = 0;
  Index words_landing = 0;
  Index words_kept = 0;  // where that is packed
  bool posted = false;   // the receives are
};

// Some of a part of what a rank owns.
struct SharePart {
  Index part = 0;
  Share share;
};

// What is done at a stop: while blocks are unpacked, by itself, and while they are packed.
struct Work {
  Held held;  // as it is worked on,
  Held done;  // and after that
  std::optional<Transform> back = {};
  std::vector<Transform> alone = {};
  std::optional<Transform> front = {};
  bool to_blocks = false;              // back may be front,
  bool through = false;                // and is: lines go from blocks to blocks
  std::optional<Transform> late = {};  // at the last stop: along the slot of its parts, when all of these are there
};

class Messages {
 public:
  Messages(const Path& path, const PlanOptions& options, int rank);

  const std::vector<Work>& work() const { return work_; }
  std::vector<Bundle> of(std::size_t exchange) const;
  Traffic sent(std::size_t exchange) const;
  Data data(std::size_t exchange) const { return leaves(exchange).data; }
  Strided packed(std::size_t exchange, const Block& block, Index offset) const;  // as it stands in a message
  bool near(std::size_t exchange, int peer) const;                               // blocks are read where they stand
  int distance(int peer) const { return distance(me_, peer); }                   // in how many steps it is its turn
  // The last exchange, in one part: to save memory it lands where blocks were made, and the result takes the place of
  // the blocks that have been sent.
  bool goes_at_once(std::size_t exchange) const;
  bool stands(std::size_t exchange) const;  // nothing is packed: others read the array
  Strided standing(std::size_t exchange, int owner, const Block& block) const;  // where a block of it is
  Strided come(std::size_t exchange, const BlockMessage& m) const;              // or where, of what was received
  bool keeps_in_place(std::size_t exchange) const;  // the rank's own block is put where it is unpacked
  bool packs_kept(std::size_t exchange) const;      // or in memory of its own, rather than read where it is
  bool by_part(std::size_t stop) const;             // every part is put together in memory of its own
  bool comes_by_part(std::size_t stop) const;       // and all of one comes before the next
  bool packs_parts(std::size_t stop) const;         // which are packed at once, for all messages that they are in
  bool is_cut_later(std::size_t stop) const;        // parts are only unpacked, and all of it is transformed after that
  bool joins_parts(std::size_t stop) const;         // or the last transform alone, which reads all of them
  bool arrives_final(std::size_t stop) const;       // what is unpacked there stands where the result shall be

 private:
  int distance(int from, int to) const;
  const Held& leaves(std::size_t exchange) const;
  Work work_at(std::size_t i) const;
  void leave_out_arrays();
  std::vector<Bundle> bundles(std::size_t exchange) const;  // whose messages are not listed yet
  std::vector<Bundle> in_rounds(Bundle all, std::size_t exchange) const;
  std::vector<Bundle> in_rounds_by_peer(std::vector<Bundle> chunks, std::size_t exchange) const;
  void list_sent(std::size_t exchange, Bundle& b) const;
  void list_received(std::size_t exchange, Bundle& b) const;
  Cut leaving_cut(std::size_t exchange) const;
  Share had_by(int rank, std::size_t exchange, const Bundle& b) const;
  Share wanted_by(int rank, std::size_t exchange, const Bundle& b) const;
  std::vector<SharePart> parts_of(Share share, std::size_t stop) const;
  BlockMessage cells_between(std::size_t exchange, int peer, const std::vector<SharePart>& from,
                             const std::vector<SharePart>& to) const;
  BlockMessage box(std::size_t exchange, Portion portion, bool sends, bool receives) const;
  Index allot(std::vector<BlockMessage>& messages, std::size_t exchange, bool only_far) const;

  const Path& path_;
  const PlanOptions& options_;
  const int me_;
  int active_ = 1;
  std::vector<Work> work_;
};

}  // namespace kallima
