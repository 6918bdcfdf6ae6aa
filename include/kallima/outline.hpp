#pragma once
// An Outline is what is left of a Schedule when only cost and order matter: no buffers, no passes, a few numbers per
// task. Every Schedule has one; schedules at the grain of single butterfly nodes, with tens of millions of tasks, exist
// as outlines only. Where all ranks do the same up to the names of their peers, one script serves them all.

#include <span>

#include "kallima/schedule.hpp"

namespace kallima {

// One task of a script. Lower numbers go first where several could. Sends go out in the order in which they become
// ready, receives are taken in the order of arrival.
struct OutlineTask {
  TaskKind kind = TaskKind::compute;
  std::uint8_t stage = 0;   // which of Outline::stages it belongs to
  std::int32_t peer = -1;   // messages: the other rank, as Outline::peers says
  std::int32_t match = -1;  // send_start: the recv_finish in the peer's script; send_finish, recv_finish: its start
  Index words = 0;          // messages: sent; others: read and written, as far as memory is a matter
  double flops = 0;         // compute
  bool operator==(const OutlineTask&) const = default;
};

// What one rank does: tasks, and for each the tasks that wait for it.
class Script {
 public:
  int add(const OutlineTask& task, std::span<const int> after = {});  // lower numbers only
  int add(const OutlineTask& task, std::initializer_list<int> after) { return add(task, std::span(after)); }
  void reserve(std::size_t tasks, std::size_t dependencies);
  void set_match(int task, int match) { tasks_[at(task)].match = match; }
  void close();  // after the last task: makes followers()

  std::size_t size() const { return tasks_.size(); }
  const OutlineTask& operator[](int task) const { return tasks_[at(task)]; }
  std::span<const OutlineTask> tasks() const { return tasks_; }
  std::span<const int> after(int task) const { return listed(after_, first_after_, task); }
  std::span<const int> followers(int task) const { return listed(followers_, first_follower_, task); }
  bool operator==(const Script&) const = default;

 private:
  using Firsts = std::vector<std::uint32_t>;  // by task: where its list begins, and the last one's end
  static std::span<const int> listed(const std::vector<int>& all, const Firsts& first, int task) {
    return std::span(all).subspan(first[at(task)], first[at(task) + 1] - first[at(task)]);
  }

  std::vector<OutlineTask> tasks_;
  Firsts first_after_{0};
  std::vector<int> after_;
  Firsts first_follower_;
  std::vector<int> followers_;
};

constexpr Index word_bytes(Precision p) { return p == Precision::single_ ? 8 : p == Precision::double_ ? 16 : 32; }

// How a script's peer becomes a rank: as it stands, by exclusive or with the own rank, or added to it modulo the ranks.
enum class Peers { absolute, exclusive_or, ring };

struct Outline {
  std::string name = {};
  int ranks = 0;
  Peers peers = Peers::absolute;
  std::vector<Script> scripts = {};  // one per rank, or a single one that all share
  std::vector<std::string> stages = {};
  Index word_bytes = 16;  // what a Machine's memory rate counts
  int idle = 0;           // ranks besides these that have nothing to do

  const Script& script(int rank) const { return scripts[scripts.size() == 1 ? 0 : at(rank)]; }
  bool symmetric() const { return scripts.size() == 1 && (ranks == 1 || peers != Peers::absolute); }
  int peer_of(int rank, int peer) const;
  std::uint8_t stage_number(const std::string& label);  // its place in `stages`, where it is put if it is new
  Index task_count() const;
};

Outline outline(const Schedule& schedule);  // throws Error where a number in it leads nowhere

}  // namespace kallima
