// The backend that hands lines to a node function: a pass that transforms lines runs the levels of their elements, on a
// tile in which a row is one element of many lines, so that a run of nodes is a pair of rows. Which lines they are is
// what a twiddle factor would have to know, too, and the pass says it there. Levels go on within each half before the
// other, so that most of them find their rows in the first cache.

#include "kallima/network.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/problem.hpp"
#include "plan/routes/twisted.hpp"
#include "schedule/piece_list.hpp"

namespace kallima {
namespace {

constexpr std::size_t row_bytes = 128;          // of a tile of long lines
constexpr std::size_t tile_bytes_of = 1 << 17;  // and of short ones, all of it

// What a pass is told besides: the rows of the butterfly are numbered j * Q + v along columns, w * Q + j along rows.
struct NetworkShape {
  Index R, Q;
};

class NodePass final : public Kernel {
 public:
  NodePass(const NetworkShape& shape, const AnyNode& node, std::size_t bytes, const Pass& pass, std::size_t depth)
      : shape_(shape), node_(node), bytes_(bytes), pass_(pass), depth_(depth), lines_(element_count(pass.loops)) {
    const bool known = pass.action == Action::transform || pass.action == Action::move;
    require(known && !pass.conjugated, "a butterfly's values are moved and handed to its nodes, and nothing else");
    const auto length = static_cast<std::size_t>(pass.length);
    const std::size_t wanted = std::max(row_bytes, tile_bytes_of / length) / bytes;
    together_ = std::clamp<Index>(static_cast<Index>(wanted), 1, std::max<Index>(1, std::min<Index>(lines_, 512)));
  }

  std::size_t tile_bytes() const override { return at(pass_.length * together_) * bytes_; }

  Ticket start(const KernelCall& call) const override {
    for (Index line = 0; line < lines_; line += together_) {
      const Index lanes = std::min(together_, lines_ - line);
      move_all(
          call, pass_.sources, line, lanes, [&](const Piece& piece) { return call.source(piece); },
          [](std::byte* tile, const std::byte* outside, std::size_t bytes) { std::memcpy(tile, outside, bytes); });
      if (pass_.action == Action::transform) run_levels(call, line, lanes);
      move_all(
          call, pass_.targets, line, lanes, [&](const Piece& piece) { return call.operands.buffers[at(piece.buffer)]; },
          [](const std::byte* tile, std::byte* outside, std::size_t bytes) { std::memcpy(outside, tile, bytes); });
      call.progress();
    }
    return 0;
  }

 private:
  Index size() const { return static_cast<Index>(bytes_); }
  std::byte* place(const KernelCall& call, Index element, Index lane) const {
    return call.tile.data() + at(element * together_ + lane) * bytes_;
  }

  std::vector<Index> loops_of(Index line) const {
    std::vector<Index> loops(pass_.loops.size());
    for (std::size_t d = loops.size(); d-- > 0; line /= pass_.loops[d]) loops[d] = line % pass_.loops[d];
    return loops;
  }

  // Calls copy(in the tile, outside, bytes) for all values of the lines, base_of() being where a piece's offsets begin.
  void move_all(const KernelCall& call, const std::vector<Piece>& pieces, Index line, Index lanes, const auto& base_of,
                const auto& copy) const {
    for (const Piece& piece : pieces) {
      auto* const base = base_of(piece) + piece_offset(call, piece) * size();
      std::vector<Index> offsets(at(lanes), 0);
      for (Index b = 0; b < lanes; ++b) {
        const std::vector<Index> loops = loops_of(line + b);
        for (std::size_t d = 0; d < loops.size(); ++d) offsets[at(b)] += loops[d] * piece.strides[depth_ + d];
      }
      const bool neighbours = lanes > 1 && offsets.back() - offsets.front() == lanes - 1;
      if (neighbours)
        move_rows(call, piece, base + offsets[0] * size(), at(lanes) * bytes_, copy);
      else if (bytes_ == 4)
        move_values<4>(call, piece, base, offsets, copy);
      else if (bytes_ == 8)
        move_values<8>(call, piece, base, offsets, copy);
      else
        move_values<0>(call, piece, base, offsets, copy);
    }
  }

  Index piece_offset(const KernelCall& call, const Piece& piece) const {
    Index offset = piece.offset;
    for (std::size_t d = 0; d < depth_; ++d) offset += call.at[d] * piece.strides[d];
    return offset;
  }

  void move_rows(const KernelCall& call, const Piece& piece, auto* base, std::size_t bytes, const auto& copy) const {
    constexpr Index ahead = 16;  // rows far apart, which no processor guesses
    for (Index e = 0; e < piece.count; ++e) {
      auto* const outside = base + e * piece.stride * size();
      for (std::size_t b = 0; b < bytes; b += 64)
        __builtin_prefetch(outside + ahead * piece.stride * size() + static_cast<Index>(b));
      copy(place(call, piece.first + e * piece.every, 0), outside, bytes);
    }
  }

  // Values of a size that the compiler knows are moved without calling anybody, some neighbours of each line at a time.
  template <std::size_t known>
  void move_values(const KernelCall& call, const Piece& piece, auto* base, const std::vector<Index>& offsets,
                   const auto& copy) const {
    constexpr Index at_once = 16;
    const std::size_t bytes = known > 0 ? known : bytes_;
    for (Index e0 = 0; e0 < piece.count; e0 += at_once)
      for (std::size_t b = 0; b < offsets.size(); ++b) {
        auto* const ahead = base + (offsets[b] + (e0 + 4 * at_once) * piece.stride) * size();  // lines are far apart
        for (Index line = 0; line < at_once * size(); line += 64) __builtin_prefetch(ahead + line);
        for (Index e = e0; e < std::min(piece.count, e0 + at_once); ++e)
          copy(place(call, piece.first + e * piece.every, static_cast<Index>(b)),
               base + (offsets[b] + e * piece.stride) * size(), bytes);
      }
  }

  // The number of a line among all: what its factors are powers by.
  Index number_of_line(Index line) const {
    const Twiddle& t = pass_.twiddle;
    return t.shift + (t.loop < 0 ? 0 : t.step * loops_of(line)[at(t.loop)]);
  }

  void run_levels(const KernelCall& call, Index line, Index lanes) const {
    const Index first = number_of_line(line), step = lanes > 1 ? number_of_line(line + 1) - first : 1;
    const bool even = number_of_line(line + lanes - 1) == first + (lanes - 1) * step;
    for (Index b = 0; b < lanes; b += even ? lanes : 1)
      run_part(call, {number_of_line(line + b), step, b, even ? lanes : 1}, 0, pass_.length);
  }

  struct Lines {
    Index number, step;  // of the first, and from one to the next
    Index lane, count;
  };

  void run_part(const KernelCall& call, const Lines& lines, Index begin, Index length) const {
    const bool along_columns = pass_.twiddle.modulus == shape_.R * shape_.Q;
    if (length == 1) return;
    const Index half = length / 2, scale = along_columns ? shape_.Q : 1, other = along_columns ? 1 : shape_.Q;
    NodeRun run{.level = log2_of(shape_.R * shape_.Q) - 1 - log2_of(half * scale), .distance = half * scale};
    run.step = other * lines.step;
    run.count = lines.count;
    for (Index j = begin; j < begin + half; ++j) {
      run.position = j * scale + lines.number * other;
      node_(run, place(call, j, lines.lane), place(call, j + half, lines.lane));
    }
    run_part(call, lines, begin, half);
    run_part(call, lines, begin + half, half);
  }

  NetworkShape shape_;
  const AnyNode& node_;
  std::size_t bytes_;
  Pass pass_;
  std::size_t depth_;
  Index lines_;
  Index together_ = 1;
};

class NodeBackend final : public Backend {
 public:
  NodeBackend(const NetworkShape& shape, std::size_t bytes, AnyNode node)
      : shape_(shape), node_(std::move(node)), element_{fmt::format("value of {} bytes", bytes), bytes, 1} {}
  const Element& element() const override { return element_; }
  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction, Effort) const override {
    return std::make_unique<NodePass>(shape_, node_, element_.bytes, pass, depth);
  }

 private:
  NetworkShape shape_;
  AnyNode node_;
  Element element_;
};

TwistedShape shape_of(Index n, std::size_t bytes, const AnyNode& node, int ranks) {
  require(n >= 4 && power_of_two(n), "a butterfly has 2^k rows, 4 or more (not {}): pad to {}", n,
          n < 4 ? 4 : Index{2} << log2_of(std::max<Index>(n, 1)));
  require(bytes > 0 && node != nullptr, "a butterfly needs values (of {} bytes) and a node function", bytes);
  const Index Q = Index{1} << (log2_of(n) + 1) / 2;
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
