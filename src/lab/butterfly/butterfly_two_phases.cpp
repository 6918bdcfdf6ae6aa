// Phase I, one exchange, phase II. What distinguishes the schedules is only the order of phase I's nodes, which block
// goes where, and when it may be sent.

#include "base/check.hpp"
#include "lab/butterfly/butterfly_script.hpp"

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Writer {
 public:
  Writer(const ButterflySizes& sizes, const TwoPhases& phases) : s(sizes), phases_(phases), script_(sizes) {
    const std::size_t nodes = at(s.m) * at(s.log_m + s.log_P);
    script_.script().reserve(nodes + 2 * at(s.m) + 1, 2 * nodes + 4 * at(s.m) + 1);
    task_.assign(at(s.log_m + 1), std::vector<int>(at(s.m), -1));
  }

  ButterflyScript run() {
    if (phases_.output_driven)
      outputs_one_by_one();
    else
      column_by_column();
    receive_all();
    combine();
    script_.script().close();
    return std::move(script_);
  }

 private:
  int words() const { return phases_.blocks ? s.l : 1; }

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

  void make_node(int row, int column) {
    const int partner = row ^ (s.m >> column);
    std::array<int, 2> needs{};
    std::size_t count = 0;
    if (column > 1) {
      needs[count++] = task_[at(column - 1)][at(row)];
      needs[count++] = task_[at(column - 1)][at(partner)];
    }
    task_[at(column)][at(row)] = script_.node({row, column}, phase_one_stage, std::span(needs).first(count));
  }

  void outputs_one_by_one() {
    for (int row = 0; row < s.m; ++row) {
      make_output(row);
      const int block = row / s.l;
      if (phases_.destinations[at(block)] == TwoPhases::own) continue;
      if (!phases_.blocks)
        send(block, row % s.l, {output(row)});
      else if (row % s.l == s.l - 1)
        send(block, 0, block_outputs(block));
    }
  }

  std::vector<int> block_outputs(int block) const {
    std::vector<int> all;
    for (int e = 0; e < s.l; ++e) append(all, output(block * s.l + e));
    return all;
  }

  static void append(std::vector<int>& all, int task) {
    if (task >= 0) all.push_back(task);
  }

  void send(int block, int e, std::vector<int> after) {
    std::erase(after, -1);  // inputs of the whole computation need no task
    const int task = script_.send(phases_.destinations[at(block)], words(), after);
    script_.script().set_match(task, first_receive() + phases_.places[at(block)] * messages_each() + e);
  }

  // Every processor's script has as many nodes and sends before its first receive.
  int first_receive() const { return s.m * s.log_m + (s.P - 1) * messages_each(); }
  int messages_each() const { return phases_.blocks ? 1 : s.l; }

  int output(int row) const { return task_[at(s.log_m)][at(row)]; }

  void column_by_column() {
    for (int column = 1; column <= s.log_m; ++column)
      for (int row = 0; row < s.m; ++row) make_node(row, column);
    const int last = output(s.m - 1);
    for (const int block : phases_.send_order)
      for (int e = 0; e < s.l; ++e) {
        const int row = block * s.l + e;
        send(block, e, {output(row), last == output(row) ? -1 : last});
      }
  }

  void receive_all() {
    received_.assign(at(s.P), std::vector<int>(at(s.l), -1));
    for (int sender = 0; sender < s.P; ++sender) {
      if (phases_.sources[at(sender)] == TwoPhases::own) continue;
      for (int e = 0; e < s.l; ++e) {
        const bool same = phases_.blocks && e > 0;
        received_[at(sender)][at(e)] =
            same ? received_[at(sender)][0] : script_.receive(phases_.sources[at(sender)], words());
      }
    }
  }

  // What a sender's value number e arrives as: a message, or our own output of the block that stays.
  int input(int sender, int e) const {
    if (phases_.sources[at(sender)] != TwoPhases::own) return received_[at(sender)][at(e)];
    for (int block = 0; block < s.P; ++block)
      if (phases_.destinations[at(block)] == TwoPhases::own) return output(block * s.l + e);
    fail("no block of phase I stays");
  }

  int wait_for_all() {
    std::vector<int> all;
    append(all, output(s.m - 1));
    for (const std::vector<int>& sender : received_)
      for (int e = 0; e < (phases_.blocks ? 1 : s.l); ++e) append(all, sender[at(e)]);
    return script_.barrier(all);
  }

  void combine() {
    const int barrier = phases_.phase_two == PhaseTwo::waiting && s.P > 1 ? wait_for_all() : -1;
    std::vector<int> previous(at(s.P));
    std::vector<int> current(at(s.P));
    for (int e = 0; e < s.l; ++e) {
      for (int sender = 0; sender < s.P; ++sender) previous[at(sender)] = input(sender, e);
      for (int column = 1; column <= s.log_P; ++column) {
        for (int sender = 0; sender < s.P; ++sender)
          current[at(sender)] = combine_node(e, sender, column, previous, barrier);
        previous = current;
      }
    }
  }

  int combine_node(int e, int sender, int column, const std::vector<int>& previous, int barrier) {
    std::vector<int> after{previous[at(sender)], previous[at(sender ^ (s.P >> column))]};
    std::erase(after, -1);
    if (column == 1 && barrier >= 0) after.push_back(barrier);
    return script_.node({e * s.P + sender, s.log_m + column}, phase_two_stage, after);
  }

  const ButterflySizes s;
  const TwoPhases& phases_;
  ButterflyScript script_;
  std::vector<std::vector<int>> task_;      // [column][row]; column 0 are inputs and stay -1
  std::vector<std::vector<int>> received_;  // [sender][value]
};

}  // namespace

ButterflyScript two_phase_script(const ButterflySizes& sizes, const TwoPhases& phases) {
  return Writer(sizes, phases).run();
}

}  // namespace kallima
