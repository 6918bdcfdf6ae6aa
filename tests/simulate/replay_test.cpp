// Ten thousand simulated runs with random latencies, half of them with limited capacity, computed with real numbers: a
// node takes its inputs from the tasks it waits for, a received value is the one the matching send depends on, and
// nothing may be used before the simulation says that it is there.

#include <gtest/gtest.h>

#include <complex>
#include <map>
#include <numbers>

#include "kallima/butterfly.hpp"
#include "kallima/simulate.hpp"

namespace kallima {
namespace {

using Complex = std::complex<double>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Complex omega(Index k, Index n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

Index reversed(Index row, Index n) {
  Index result = 0;
  for (Index bit = 1; bit < n; bit *= 2) result = 2 * result + ((row / bit) & 1);
  return result;
}

Complex input(Index row) { return {std::cos(static_cast<double>(3 * row)), std::sin(static_cast<double>(row * row))}; }

std::vector<Complex> spectrum(Index n) {
  std::vector<Complex> all(at(n));
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j) all[at(k)] += input(j) * omega(j * k, n);
  return all;
}

// What a task leaves behind: values of nodes, and when they may be used.
struct Product {
  std::map<std::pair<Index, int>, Complex> values = {};
  double from = 0;
};

class Replay {
 public:
  Replay(const Butterfly& butterfly, const Outline& outline) : butterfly_(butterfly), outline_(outline) {
    for (int rank = 0; rank < butterfly.processors; ++rank) nodes_.push_back(butterfly_nodes(butterfly, rank));
  }

  // The largest error of any output; fails the test where a task runs before its time.
  double operator()(const Simulation& run, const std::vector<Complex>& expected) {
    products_.assign(at(butterfly_.processors), {});
    for (int rank = 0; rank < butterfly_.processors; ++rank) products_[at(rank)].resize(outline_.script(rank).size());
    outputs_.assign(at(butterfly_.n), {1e9, 1e9});
    order_ = run.trace.events;
    std::stable_sort(order_.begin(), order_.end(), [](const Event& a, const Event& b) {
      return std::tuple(a.end, rank_of(a.kind)) < std::tuple(b.end, rank_of(b.kind));
    });
    for (const Event& event : order_) step(event);
    double worst = 0;
    for (Index row = 0; row < butterfly_.n; ++row)
      worst = std::max(worst, std::abs(outputs_[at(row)] - expected[at(reversed(row, butterfly_.n))]));
    return worst;
  }

 private:
  // At one instant what was computed can be sent, what was sent can be taken.
  static int rank_of(TaskKind kind) { return kind == TaskKind::compute ? 0 : kind == TaskKind::send_start ? 1 : 2; }

  void step(const Event& event) {
    const Script& script = outline_.script(event.rank);
    Product& product = products_[at(event.rank)][at(event.task)];
    product.from = event.end;
    for (const int earlier : script.after(event.task)) {
      const Product& needed = products_[at(event.rank)][at(earlier)];
      EXPECT_LE(needed.from, event.begin) << "task " << event.task << " of rank " << event.rank << " runs too early";
    }
    if (event.kind == TaskKind::send_start) return send(event, script);
    const ButterflyNode node = nodes_[at(event.rank)][at(event.task)];
    if (event.kind == TaskKind::compute && node.row >= 0) compute(event, script, node, product);
  }

  void send(const Event& event, const Script& script) {
    Product& parcel = products_[at(event.peer)][at(script[event.task].match)];
    for (const int earlier : script.after(event.task))
      for (const auto& [node, value] : products_[at(event.rank)][at(earlier)].values) parcel.values[node] = value;
  }

  Complex value_of(const Event& event, const Script& script, Index row, int column) {
    if (column == 0) return input(row);
    for (const int earlier : script.after(event.task)) {
      const auto& values = products_[at(event.rank)][at(earlier)].values;
      if (const auto found = values.find({row, column}); found != values.end()) return found->second;
    }
    ADD_FAILURE() << "rank " << event.rank << " task " << event.task << " has no value of node " << row << ", "
                  << column;
    return 0;
  }

  void compute(const Event& event, const Script& script, const ButterflyNode& node, Product& product) {
    const Index distance = butterfly_.n >> node.column;
    const Index low = node.row & ~distance;
    const Complex a = value_of(event, script, low, node.column - 1);
    const Complex b = value_of(event, script, low | distance, node.column - 1);
    const Complex value =
        node.row == low ? a + b : (a - b) * omega((low % distance) * (butterfly_.n / (2 * distance)), butterfly_.n);
    product.values[{node.row, node.column}] = value;
    if (distance == 1) outputs_[at(node.row)] = value;
  }

  const Butterfly& butterfly_;
  const Outline& outline_;
  std::vector<std::vector<ButterflyNode>> nodes_;
  std::vector<std::vector<Product>> products_;
  std::vector<Event> order_;
  std::vector<Complex> outputs_;
};

TEST(Replay, ten_thousand_random_runs_end_and_compute_the_transform) {
  int runs = 0;
  for (const auto& [name, summary] : node_schedule_names())
    for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven})
      for (const auto& [n, P] : {std::pair<Index, int>{4, 2}, {16, 4}, {32, 4}}) {
        const Butterfly butterfly{n, P, node_schedule_named(name), phase_two};
        const Outline outline = butterfly_outline(butterfly);
        const std::vector<Complex> expected = spectrum(n);
        Replay replay(butterfly, outline);
        for (std::uint64_t seed = 0; seed < 240; ++seed, ++runs) {
          const Logp machine{.L = static_cast<double>(seed % 5 * 7 + 3),
                             .o = seed % 3 == 0 ? 0.5 : 0.0,
                             .g = static_cast<double>(seed % 4 + 1)};
          SimulateOptions options{.latency = Latency::random, .seed = seed, .trace = true};
          options.capacity = seed % 2 == 0 ? Capacity::limited : Capacity::unlimited;
          ASSERT_LT(replay(simulate(outline, machine, options), expected), 1e-9) << name << " seed " << seed;
        }
      }
  EXPECT_GE(runs, 10000);
}

}  // namespace
}  // namespace kallima
