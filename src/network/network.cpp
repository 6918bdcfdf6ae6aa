// A butterfly of the caller's is planned like a transform of two factors and computed by a backend whose kernels hand
// values to the node function.

#include "kallima/network.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/problem.hpp"
#include "network/node_pass.hpp"
#include "plan/routes/twisted.hpp"

namespace kallima {
namespace {

class NodeBackend final : public Backend {
 public:
  NodeBackend(const NetworkShape& shape, std::size_t bytes, AnyNode node)
      : shape_(shape), node_(std::move(node)), element_{fmt::format("value of {} bytes", bytes), bytes, 1} {}
  const Element& element() const override { return element_; }
  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction, Effort) const override {
    return std::make_unique<NodePass>(shape_, node_, element_.bytes, pass, depth);
  }
  // A tile on small pages is scattered over a second-level cache, which then does not hold it: rather a huge one, of
  // which arrays of some length are made.
  std::shared_ptr<std::byte> allocate(std::size_t bytes) const override {
    constexpr std::size_t small = std::size_t{128} << 10, on_huge_pages = std::size_t{4} << 20;
    return Backend::allocate(bytes < small ? bytes : std::max(bytes, on_huge_pages));
  }

 private:
  NetworkShape shape_;
  AnyNode node_;
  Element element_;
};

// Long rows, which are neighbours in memory and fit a second-level cache, leave short columns, which are not. But all
// ranks are to have some, and columns are not to outgrow a cache either.
Index row_length(Index n, int ranks) {
  constexpr int usual = 16, rows_of_a_rank = 16;
  const int bits = log2_of(n), balanced = (bits + 1) / 2;
  int most = bits;
  while (most > balanced && (n >> most) < Index{rows_of_a_rank} * ranks) --most;
  return Index{1} << std::max(balanced, std::min(usual, most));
}

TwistedShape shape_of(Index n, std::size_t bytes, const AnyNode& node, int ranks) {
  require(n >= 4 && power_of_two(n), "a butterfly has 2^k rows, 4 or more (not {}): pad to {}", n,
          n < 4 ? 4 : Index{2} << log2_of(std::max<Index>(n, 1)));
  require(bytes > 0 && node.run != nullptr && node.most_levels >= 1,
          "a butterfly needs values (of {} bytes) and a node function", bytes);
  const Index Q = row_length(n, ranks);
  return {.R = n / Q, .Q = Q, .block = (Q + ranks - 1) / ranks};
}

}  // namespace

AnyNetwork::AnyNetwork(Index n, std::size_t value_bytes, AnyNode node, Comm comm, const PlanOptions& options) {
  const TwistedShape shape = shape_of(n, value_bytes, node, comm.size());
  const auto planner = [shape, ranks = comm.size()](const PlanOptions& o) {
    return plan_twisted(shape, ranks, o, LineNumbers::yes);
  };
  const detail::FftImpl::Arguments what{{"rows of the butterfly", fmt::format("{}", n)},
                                        {"bytes of a value", fmt::format("{}", value_bytes)}};
  const auto backend = std::make_shared<NodeBackend>(NetworkShape{shape.R, shape.Q}, value_bytes, std::move(node));
  impl_ = std::make_unique<detail::FftImpl>(
      planner, what, std::move(comm), FftOptions{.plan = options, .effort = Effort::estimate, .backend = backend});
}

AnyNetwork::AnyNetwork(AnyNetwork&&) noexcept = default;
AnyNetwork& AnyNetwork::operator=(AnyNetwork&&) noexcept = default;
AnyNetwork::~AnyNetwork() = default;

void AnyNetwork::run(std::span<const std::byte> in, std::span<std::byte> out) {
  impl_->run(Direction::forward, in, out, Norm::none);
}

const Plan& AnyNetwork::plan() const { return impl_->programs->plan(); }
Layout AnyNetwork::layout_in() const { return plan().layout_in(); }
Layout AnyNetwork::layout_out() const { return plan().layout_out(); }
void AnyNetwork::record(Trace* trace) { impl_->record(trace); }

}  // namespace kallima
