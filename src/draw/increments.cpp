// The output-driven schedule of Sahay (1993, section 4.1) for one butterfly: outputs are made in a given order, each
// with the fewest nodes that are not yet processed. For binary permutations the output at position a is then ready at
// (m - 1) + sum of b_i (i + 1) 2^i over the binary digits b_i of a (his Corollary 4.1).

#include <bit>

#include "base/check.hpp"
#include "draw/butterfly.hpp"

namespace kallima {
namespace {

using Node = OutputIncrement::Node;

class Progress {
 public:
  explicit Progress(int inputs) : inputs_(inputs), done_(static_cast<std::size_t>(inputs) * columns(), false) {
    for (int row = 0; row < inputs; ++row) done_[at({row, 0})] = true;
  }

  // The nodes among `node` and its predecessors that are not processed yet, earlier columns first.
  std::vector<Node> process(const Node& node) {
    if (done_[at(node)]) return {};
    std::vector<Node> wanted{node}, all;
    while (!wanted.empty()) {
      all.insert(all.begin(), wanted.begin(), wanted.end());
      wanted = unprocessed_before(wanted);
    }
    for (const Node& n : all) done_[at(n)] = true;
    return all;
  }

 private:
  std::size_t columns() const { return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(inputs_))) + 1; }
  std::size_t at(const Node& n) const {
    return static_cast<std::size_t>(n.row) * columns() + static_cast<std::size_t>(n.column);
  }

  std::vector<Node> unprocessed_before(const std::vector<Node>& nodes) {
    std::vector<bool> wanted(static_cast<std::size_t>(inputs_), false);
    for (const Node& n : nodes)
      for (const int row : {n.row, butterfly_partner(n.row, n.column - 1, inputs_)})
        wanted[static_cast<std::size_t>(row)] = true;
    std::vector<Node> all;
    for (int row = 0; row < inputs_; ++row) {
      const Node before{row, nodes[0].column - 1};
      if (wanted[static_cast<std::size_t>(row)] && !done_[at(before)]) all.push_back(before);
    }
    return all;
  }

  int inputs_;
  std::vector<bool> done_;
};

void check(const std::vector<int>& permutation) {
  const std::size_t size = permutation.size();
  require(std::has_single_bit(size), "no butterfly has {} outputs (it is no power of 2) give 2, 4, 8, ...", size);
  std::vector<bool> seen(size, false);
  for (const int output : permutation) {
    require(output >= 0 && static_cast<std::size_t>(output) < size && !seen[static_cast<std::size_t>(output)],
            "the order of outputs is no permutation ({} is there twice or not below {}) name each output once", output,
            size);
    seen[static_cast<std::size_t>(output)] = true;
  }
}

}  // namespace

int butterfly_partner(int row, int column, int inputs) { return row ^ (inputs >> (column + 1)); }

std::vector<OutputIncrement> butterfly_increments(const std::vector<int>& permutation) {
  check(permutation);
  const int inputs = static_cast<int>(permutation.size());
  const int last = std::countr_zero(static_cast<unsigned>(inputs));
  Progress progress(inputs);
  std::vector<OutputIncrement> all;
  Index time = 0;
  for (const int output : permutation) {
    std::vector<Node> nodes = progress.process({output, last});
    time += static_cast<Index>(nodes.size());
    all.push_back({.output = output, .time = time, .nodes = std::move(nodes)});
  }
  return all;
}

}  // namespace kallima
