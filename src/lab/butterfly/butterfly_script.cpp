// What every processor does with its share of the butterfly, node by node. Rows stay where they are, all cyclic or all
// in blocks: then log P columns need a value from another processor for every node. Or phase I, one exchange, phase II:
// what distinguishes these schedules is only the order of phase I's nodes, which block goes where, and when it may be
// sent. Where ranks are alike, a peer is named by exclusive or with the own number.

#include <array>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "kallima/butterfly.hpp"

namespace kallima {
namespace {

constexpr double node_flops = 5;  // so that n log2 n nodes are the customary 5 n log2 n operations
constexpr std::uint8_t phase_one_stage = 0, phase_two_stage = 1, message_stage = 2;

// The sizes every schedule of the butterfly is made of.
struct ButterflySizes {
  Index n;
  int P;
  int m = static_cast<int>(n / P);  // rows of a processor
  int l = m / P;                    // values for each other processor
  int log_m = log2_of(m);           // columns of phase I
  int log_P = log2_of(P);           // columns of phase II
};

ButterflySizes checked_sizes(const Butterfly& butterfly) {
  const auto& [n, P, schedule, phase_two] = butterfly;
  require(power_of_two(n), "n = {} is not a power of two, as the {} schedule needs", n, name(schedule));
  require(power_of_two(P), "P = {} is not a power of two, as the {} schedule needs", P, name(schedule));
  const Index least = has_two_phases(schedule) ? Index{P} * P : Index{P};
  require(n >= least, "n = {} is too small for P = {} processors in the {} schedule: it needs n >= {}", n, P,
          name(schedule), least);
  require(n / P <= Index{1} << 25,
          "n/P = {} rows per processor are too many to simulate node by node: use at most 2^25", n / P);
  return {n, P};
}

// One processor's script, and the node that each of its tasks computes if somebody wants to know. Rows are counted in
// the processor's own terms. Inputs of the whole computation need no task: their number is -1.
class ButterflyWriter {
 public:
  ButterflyWriter(const Butterfly& butterfly, int rank, std::vector<ButterflyNode>* nodes)
      : b_(butterfly), rank_(rank), nodes_(nodes) {}

  Script run() {
    has_two_phases(b_.schedule) ? two_phases() : fixed_rows();
    script_.close();
    return std::move(script_);
  }

 private:
  using After = std::span<const int>;

  int add(ButterflyNode node, const OutlineTask& task, After after) {
    existing_.clear();
    for (const int earlier : after)
      if (earlier >= 0) existing_.push_back(earlier);
    if (nodes_ != nullptr) nodes_->push_back(node);
    return script_.add(task, existing_);
  }
  int node(int row, int column, std::initializer_list<int> after) {
    const std::uint8_t stage = column <= s.log_m ? phase_one_stage : phase_two_stage;
    return add(global(row, column), {.kind = TaskKind::compute, .stage = stage, .flops = node_flops}, After(after));
  }
  int send(int peer, Index words, After after) {
    return add({}, {.kind = TaskKind::send_start, .stage = message_stage, .peer = peer, .words = words}, after);
  }
  int receive(int peer, Index words) {
    return add({}, {.kind = TaskKind::recv_finish, .stage = message_stage, .peer = peer, .words = words}, {});
  }

  // From the processor's own terms to those of the whole butterfly.
  ButterflyNode global(int row, int column) const {
    if (b_.schedule == NodeSchedule::all_blocked) return {Index{rank_} * s.m + row, column};
    if (b_.schedule == NodeSchedule::all_cyclic) return {Index{row} * s.P + rank_, column};
    if (column > s.log_m) return {Index{rank_} * s.m + (alike_ ? row ^ rank_ : row), column};
    return {Index{alike_ ? row ^ ((s.P - 1 - rank_) * s.l) : row} * s.P + rank_, column};
  }

  // Rows that stay where they are.

  void fixed_rows() {
    std::vector<int> values(at(s.m), -1);  // [row]: the task that made the value of the column before
    const bool cyclic = b_.schedule == NodeSchedule::all_cyclic;
    const int first_remote = cyclic ? s.log_m + 1 : 1;
    for (int column = 1; column <= s.log_m + s.log_P; ++column) {
      const int remote = column - first_remote, stage = cyclic ? column : column - s.log_P;
      const bool exchanged = remote >= 0 && remote < s.log_P;
      const std::vector<int> received = exchanged ? exchange(s.P >> (remote + 1), values) : std::vector<int>();
      std::vector<int> next(at(s.m));
      for (int row = 0; row < s.m; ++row)
        next[at(row)] =
            node(row, column, {values[at(row)], exchanged ? received[at(row)] : values[at(row ^ (s.m >> stage))]});
      values = std::move(next);
    }
  }

  // In a remote column processors pair up by one bit of their numbers, and all rows of one with those of the other.
  std::vector<int> exchange(int peer, const std::vector<int>& values) {
    std::vector<int> sent, received;
    for (const int value : values) sent.push_back(send(peer, 1, After(&value, 1)));
    for (const int start : sent) {
      received.push_back(receive(peer, 1));
      script_.set_match(start, received.back());
    }
    return received;
  }

  // Two phases. Rows of phase I are numbered so that outputs appear in increasing order, in blocks of l for one
  // processor each; senders of phase II in the order of the P-input butterflies. A block and a sender are our own.

  int own_block() const { return alike_ ? s.P - 1 : rank_; }
  int own_sender() const { return alike_ ? 0 : rank_; }
  int destination(int block) const { return alike_ ? block ^ (s.P - 1) : block; }
  // How many senders the destination receives from before us.
  int senders_before(int block) const { return alike_ ? destination(block) - 1 : rank_ < block ? rank_ : rank_ - 1; }

  int messages_each() const { return b_.schedule == NodeSchedule::block_output_driven ? 1 : s.l; }
  int words() const { return s.l / messages_each(); }
  int output(int row) const { return task_.back()[at(row)]; }

  void two_phases() {
    const std::size_t nodes = at(s.m) * at(s.log_m + s.log_P);
    script_.reserve(nodes + 2 * at(s.m) + 1, 2 * nodes + 4 * at(s.m) + 1);
    task_.assign(at(s.log_m + 1), std::vector<int>(at(s.m), -1));
    const bool at_the_end = b_.schedule == NodeSchedule::simple || b_.schedule == NodeSchedule::bad_order;
    at_the_end ? column_by_column() : outputs_one_by_one();
    received_.assign(at(s.P), {});
    for (int sender = 0; sender < s.P; ++sender)
      for (int e = 0; e < messages_each() && sender != own_sender(); ++e)
        received_[at(sender)].push_back(receive(sender, words()));
    combine();
  }

  void make_node(int row, int column) {
    const std::vector<int>& before = task_[at(column - 1)];
    task_[at(column)][at(row)] = node(row, column, {before[at(row)], before[at(row ^ (s.m >> column))]});
  }

  // The nodes that output `row` needs and that are not there yet, column by column: in column c those rows whose first
  // c bits are those of `row`. That they come in whole subtrees is what makes outputs in this order cheap.
  void make_output(int row) {
    for (int column = 1; column <= s.log_m; ++column) {
      const int below = s.m >> column;  // rows that share the first `column` bits
      const int first = row & ~(below - 1);
      if (task_[at(column)][at(first)] >= 0) continue;
      for (int r = first; r < first + below; ++r) make_node(r, column);
    }
  }

  void outputs_one_by_one() {
    for (int row = 0; row < s.m; ++row) {
      make_output(row);
      const int block = row / s.l, done = row % s.l + 1;
      if (block != own_block() && done % words() == 0)
        send_block(block, done / words() - 1, After(task_.back()).subspan(at(row + 1 - words()), at(words())));
    }
  }

  void column_by_column() {
    for (int column = 1; column <= s.log_m; ++column)
      for (int row = 0; row < s.m; ++row) make_node(row, column);
    const int last = output(s.m - 1);
    for (int k = 1; k < s.P; ++k) {
      const int block = b_.schedule == NodeSchedule::bad_order ? (k <= rank_ ? k - 1 : k) : (rank_ + k) % s.P;
      for (int e = 0; e < s.l; ++e) {
        const int value = output(block * s.l + e);
        send_block(block, e, std::array{value, last == value ? -1 : last});
      }
    }
  }

  // Every processor's script has as many nodes and sends before its first receive.
  void send_block(int block, int e, After after) {
    const int first_receive = s.m * s.log_m + (s.P - 1) * messages_each();
    const int task = send(destination(block), words(), after);
    script_.set_match(task, first_receive + senders_before(block) * messages_each() + e);
  }

  // What a sender's value number e arrives as: a message, or our own output of the block that stays.
  int input(int sender, int e) const {
    return sender == own_sender() ? output(own_block() * s.l + e) : received_[at(sender)][at(e / words())];
  }

  int wait_for_all() {
    std::vector<int> all{output(s.m - 1)};
    for (const std::vector<int>& sender : received_) all.insert(all.end(), sender.begin(), sender.end());
    return add({}, {.kind = TaskKind::compute, .stage = phase_two_stage}, all);
  }

  void combine() {
    const int barrier = b_.phase_two == PhaseTwo::waiting && s.P > 1 ? wait_for_all() : -1;
    std::vector<int> previous(at(s.P)), current(at(s.P));
    for (int e = 0; e < s.l; ++e) {
      for (int sender = 0; sender < s.P; ++sender) previous[at(sender)] = input(sender, e);
      for (int column = 1; column <= s.log_P; ++column) {
        for (int sender = 0; sender < s.P; ++sender)
          current[at(sender)] =
              node(e * s.P + sender, s.log_m + column,
                   {previous[at(sender)], previous[at(sender ^ (s.P >> column))], column == 1 ? barrier : -1});
        previous = current;
      }
    }
  }

  const Butterfly& b_;
  const ButterflySizes s = checked_sizes(b_);
  const int rank_;
  const bool alike_ = ranks_alike(b_.schedule);
  std::vector<ButterflyNode>* nodes_;
  Script script_;
  std::vector<int> existing_;
  std::vector<std::vector<int>> task_;      // [column][row]; column 0 are inputs and stay -1
  std::vector<std::vector<int>> received_;  // [sender][message]
};

}  // namespace

Outline butterfly_outline(const Butterfly& butterfly) {
  const bool symmetric = ranks_alike(butterfly.schedule);
  Outline all{.name = name(butterfly.schedule), .ranks = checked_sizes(butterfly).P};
  all.peers = symmetric ? Peers::exclusive_or : Peers::absolute;
  all.stages = {"phase I", "phase II", "message"};
  for (int rank = 0; rank < (symmetric ? 1 : all.ranks); ++rank)
    all.scripts.push_back(ButterflyWriter(butterfly, rank, nullptr).run());
  return all;
}

std::vector<ButterflyNode> butterfly_nodes(const Butterfly& butterfly, int rank) {
  std::vector<ButterflyNode> nodes;
  ButterflyWriter(butterfly, rank, &nodes).run();
  return nodes;
}

}  // namespace kallima
