#pragma once
// Who writes down what one rank does on a path, stop by stop.

#include <string>

#include "plan/exchange/arrays.hpp"
#include "plan/exchange/local_work.hpp"
#include "plan/exchange/writer.hpp"

namespace kallima {

class RankWriter {
 public:
  RankWriter(const Path& path, const PlanOptions& options, int rank);
  Assembler& run();

 private:
  // What tasks of a stop do; those of one role have nothing to do with each other.
  enum Role { receiving, unpacking, computing, dealing, packing, sending, roles };
  enum class Side { coming, leaving };

  bool is_last(std::size_t stop) const { return stop + 1 == path_.stops.size(); }
  bool ends_with_parts(std::size_t i) const { return is_last(i) && work_[i].alone.empty() && !work_[i].late; }
  void stage(std::size_t stop, Role role) { assembler_.set_stage(static_cast<int>(stop) * roles + role); }
  bool is_tree(std::size_t i) const { return i == path_.tree_stop && !path_.radices.empty(); }

  // rank_writer.cpp: stops
  std::string label(std::size_t i, Role role) const;
  void stop(std::size_t i);
  void take(std::vector<Step>& steps, std::size_t i, Index number);
  void give(std::vector<Step>& steps, std::size_t i, Index number);
  void finish_part(std::vector<Step>& steps, std::size_t i, Index number, Role role);
  void leave(std::size_t i, Index number);
  void split(std::size_t i);

  // rank_messages.cpp: blocks and who has them
  void allocate(std::size_t exchange, Bundle& b);
  void allocate(std::size_t exchange, const std::vector<BlockMessage*>& all, Index words, Assembler::Use use);
  void post_receives(std::size_t exchange);
  void post_late_receives(std::size_t exchange, Index chunk);
  void receive(std::size_t exchange, Bundle& b);
  void arrive(Bundle& b);
  void send(std::size_t i, Bundle& b, BlockMessage& m);
  Range standing(std::size_t i, const BlockMessage& m);
  void pack(std::size_t i, const Bundle& b, const BlockMessage& m);
  void add_packed(std::vector<Step>& steps, std::size_t i, const BlockMessage& m, Index only);
  void send_completed(std::size_t i, Index number);
  void copy_cell(std::vector<Step>& steps, const Cell& cell, const Stretch& block, std::size_t i, Side side,
                 Index only);
  void unpack(std::size_t i, Index chunk);
  void unpack(std::size_t i, Bundle& b, Index only);
  void keep_sent(std::size_t exchange, Index chunk);
  void keep(const Bundle& b);

  // rank_passes.cpp: transforms between arrays and blocks
  std::vector<Stretch> sources(std::size_t i, Index chunk);
  Stretch packed_kept(std::size_t exchange, const Bundle& b);
  std::vector<Stretch> targets(std::size_t i, Index number);
  void add_back(std::vector<Step>& steps, std::size_t i, Index chunk);
  void add_front(std::vector<Step>& steps, std::size_t i, Index number);

  // rank_rounds.cpp: stops whose arrays come a few blocks at a time
  void stop_in_rounds(std::size_t i);
  bool makes_another(std::size_t i) const;
  void transform_part(std::size_t i, Index number);
  void transform_across_parts(std::size_t i);
  bool packs_before(std::size_t i);
  void pack_part(std::size_t i, Index number);
  void start_round(std::size_t exchange, Bundle& b);

  const Path& path_;
  const PlanOptions& options_;
  const int me_;
  const Messages messages_;
  std::vector<Work> work_;                      // by stop
  std::vector<std::vector<Bundle>> exchanges_;  // by the stop they leave
  Assembler assembler_;
  Arrays arrays_;
  LocalWork local_;
  Buffer tree_memory_ = Buffer::work;  // of all blocks that a tree of classes makes
  Index in_flight_ = 0;                // words that may be on their way to the exchange that was posted last
};

}  // namespace kallima
