// Schedules of transforms computed in the order in which a simulation with random latencies would run them, all ranks
// in one thread: whatever order the network forces upon the ranks, the result is the transform.

#include <gtest/gtest.h>

#include <map>

#include "collective_suite.hpp"
#include "execute/program.hpp"
#include "kallima/plan.hpp"
#include "kallima/simulate.hpp"
#include "must_apply.hpp"
#include "reference.hpp"

namespace kallima {
namespace {

using Complex = std::complex<double>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Whatever the seed, within what a machine may do.
Trace random_run(const Outline& outline, std::uint64_t seed) {
  const Logp machine{.L = 400, .o = seed % 2 == 0 ? 0.0 : 2.0, .g = 1};
  SimulateOptions options{.latency = Latency::random, .seed = seed, .trace = true};
  options.capacity = seed % 4 < 2 ? Capacity::limited : Capacity::unlimited;
  return simulate(outline, machine, options).trace;
}

struct Rank {
  explicit Rank(RankSchedule given)
      : schedule(std::move(given)),
        program(schedule, cpu_backend(Precision::double_), Direction::forward, Effort::estimate) {
    for (const Buffer b : buffers) memory[at(static_cast<int>(b))].resize(at(schedule.size(b)));
    tile.resize(program.tile_bytes());
  }
  RankSchedule schedule;
  Program program;
  std::array<Values, buffers.size()> memory;
  std::vector<std::byte> tile;
  std::map<int, Values> received;  // by recv_finish
};

class World {
 public:
  explicit World(const Schedule& schedule) {
    for (const RankSchedule& rank : schedule.ranks) ranks_.emplace_back(rank);
    if (schedule.preparation.empty()) return;
    const Schedule before{.name = "preparation", .ranks = schedule.preparation};
    const std::vector<Values> kept =
        World(before).run(random_run(outline(before), 1), std::vector<Values>(ranks_.size()));
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].memory[at(static_cast<int>(Buffer::kept))] = kept[r];
  }

  // All ranks' outputs, given their inputs.
  std::vector<Values> run(const Trace& trace, const std::vector<Values>& in) {
    mail_.clear();
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].memory[0] = in[r];
    for (Rank& rank : ranks_) std::fill(rank.memory[1].begin(), rank.memory[1].end(), Complex(1e9));
    for (const Event& event : trace.events) step(ranks_[at(event.rank)], event);
    std::vector<Values> out;
    for (const Rank& rank : ranks_) out.push_back(rank.memory[1]);
    return out;
  }

 private:
  void step(Rank& rank, const Event& event) {
    const Task& task = rank.schedule.tasks[at(event.task)];
    if (task.kind == TaskKind::send_start) {
      const Values& from = rank.memory[at(static_cast<int>(task.range.buffer))];
      const auto begin = from.begin() + task.range.offset;
      mail_[{event.rank, task.peer, task.tag}].assign(begin, begin + task.range.count);
    } else if (task.kind == TaskKind::recv_finish) {
      rank.received[event.task] = mail_.at({task.peer, event.rank, task.tag});
    } else if (task.kind == TaskKind::compute || task.kind == TaskKind::copy) {
      compute(rank, event.task);
    }
  }

  void compute(Rank& rank, int task) {
    Operands operands;
    for (std::size_t b = 0; b < buffers.size(); ++b)
      operands.buffers[b] = reinterpret_cast<std::byte*>(rank.memory[b].data());
    operands.received.assign(rank.schedule.tasks.size(), nullptr);
    for (const auto& [finish, block] : rank.received)
      operands.received[at(finish)] = reinterpret_cast<const std::byte*>(block.data());
    const Progress progress = [] {};
    rank.program.start(task, {operands, {}, 1, rank.tile, progress});
  }

  std::vector<Rank> ranks_;
  std::map<std::tuple<int, int, int>, Values> mail_;
};

std::vector<Values> dealt_out(const Layout& layout, const Shape& shape, const std::vector<Exact>& all) {
  std::vector<Values> parts(at(layout.ranks()));
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (Index t = 0; t < layout.local_size(rank); ++t) {
      Index offset = 0;
      const Shape index = layout.global_index(rank, t);
      for (std::size_t k = 0; k < shape.size(); ++k) offset = offset * shape[k] + index[k];
      parts[at(rank)].push_back(Complex(all[at(offset)]));
    }
  return parts;
}

double difference(const std::vector<Values>& a, const std::vector<Values>& b) {
  double worst = 0;
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t i = 0; i < a[r].size(); ++i) worst = std::max(worst, std::abs(a[r][i] - b[r][i]));
  return worst;
}

TEST(SimulatedOrder, every_route_gives_the_transform_whatever_the_latencies) {
  int runs = 0;
  for (const auto& [route, summary] : route_names())
    for (const auto& [shape, ranks] : {std::pair<Shape, int>{{64}, 4}, {{32}, 8}, {{8, 12}, 2}, {{16, 6, 4}, 3}}) {
      const auto it = plan_unless_excused({.shape = shape}, ranks, {.route = route, .exchange = Exchange::messages});
      if (!it) continue;
      const std::vector<Exact> whole = random_values(element_count(shape), 7);
      const std::vector<Values> in = dealt_out(it->layout_in(), shape, whole);
      const std::vector<Values> expected =
          dealt_out(it->layout_out(), shape, reference_dft({.shape = shape}, whole, Direction::forward));
      const Schedule schedule = it->schedule(Direction::forward);
      const Outline outline = kallima::outline(schedule);
      World world(schedule);
      for (std::uint64_t seed = 0; seed < 1000; ++seed, ++runs)
        ASSERT_LT(difference(world.run(random_run(outline, seed), in), expected), 1e-12)
            << route << " on " << ranks << " ranks, seed " << seed;
    }
  EXPECT_GE(runs, 10000);
}

TEST(SimulatedOrder, every_collective_gives_what_it_means_whatever_the_latencies) {
  int runs = 0;
  for (const int ranks : {3, 4})
    for (const auto& [name, summary] : collective_names()) {
      const Collective c{.name = name, .ranks = ranks, .words = 13, .packet = 4, .exchange = Exchange::messages};
      if (!applies(c)) continue;
      std::vector<Values> in;
      std::vector<Values> expected;
      for (int rank = 0; rank < ranks; ++rank) {
        in.push_back(collective_input(c, rank));
        expected.push_back(collective_output(c, rank));
      }
      const Schedule schedule = collective_schedule(c);
      const Outline outline = kallima::outline(schedule);
      World world(schedule);
      for (std::uint64_t seed = 0; seed < 500; ++seed, ++runs)
        ASSERT_EQ(difference(world.run(random_run(outline, seed), in), expected), 0) << name << ", seed " << seed;
    }
  EXPECT_GE(runs, 10000);
}

}  // namespace
}  // namespace kallima
