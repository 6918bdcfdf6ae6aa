// An element and a backend of one's own, with nothing but public headers: integers modulo 17, whose powers of 3 are
// roots of unity of every order that divides 16. Schedules planned for complex numbers transform them as well.

#include <gtest/gtest.h>

#include "kallima/execute.hpp"
#include "kallima/fft.hpp"
#include "kallima/plan.hpp"

namespace kallima {
namespace {

using Residue = std::uint8_t;
constexpr Index prime = 17;

Index power(Index base, Index exponent) {
  Index result = 1;
  for (Index i = 0; i < exponent; ++i) result = result * base % prime;
  return result;
}

// omega_n^k: of forward transforms, as exp(-2 pi i k/n) is.
Index root(Index n, Index k, Direction direction) {
  if (16 % n != 0) throw Error("there is no root of unity of order " + std::to_string(n) + " modulo 17");
  const Index turns = (k % n + n) % n * (16 / n) % 16;
  return power(3, direction == Direction::forward ? turns : (16 - turns) % 16);
}

class ModularKernel final : public Kernel {
 public:
  ModularKernel(const Pass& pass, std::size_t depth, Direction direction)
      : pass_(pass), depth_(depth), direction_(direction) {
    if (pass.kind != Kind::fourier || pass.conjugated) throw Error("residues have no real or conjugate parts");
  }

  Ticket start(const KernelCall& call) const override {
    std::vector<Index> at(call.at.begin(), call.at.end());
    run_loops(call, at);
    return 0;
  }

 private:
  void run_loops(const KernelCall& call, std::vector<Index>& at) const {
    if (at.size() == depth_ + pass_.loops.size()) return run_line(call, at);
    at.push_back(0);
    for (; at.back() < pass_.loops[at.size() - 1 - depth_]; ++at.back()) run_loops(call, at);
    at.pop_back();
  }

  static Index place(const Piece& piece, Index element, const std::vector<Index>& at) {
    Index offset = piece.offset + element * piece.stride;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * piece.strides[d];
    return offset;
  }

  void run_line(const KernelCall& call, const std::vector<Index>& at) const {
    std::vector<Index> line(static_cast<std::size_t>(pass_.length));
    for (const Piece& s : pass_.sources)
      for (Index e = 0; e < s.count; ++e)
        line[static_cast<std::size_t>(s.first + e * s.every)] = static_cast<Index>(call.source(s)[place(s, e, at)]);
    line = computed(line, call, at);
    for (const Piece& t : pass_.targets)
      for (Index e = 0; e < t.count; ++e)
        call.operands.buffers[static_cast<std::size_t>(t.buffer)][place(t, e, at)] =
            static_cast<std::byte>(line[static_cast<std::size_t>(t.first + e * t.every)]);
  }

  std::vector<Index> computed(const std::vector<Index>& line, const KernelCall& call,
                              const std::vector<Index>& at) const {
    std::vector<Index> result(pass_.action == Action::sum ? 1 : line.size(), 0);
    const Twiddle& t = pass_.twiddle;
    const Index i = t.loop < 0 ? 0 : at[depth_ + static_cast<std::size_t>(t.loop)];
    for (std::size_t k = 0; k < result.size(); ++k) {
      const auto n = static_cast<Index>(line.size()), out = static_cast<Index>(k);
      for (Index j = 0; j < n; ++j)
        if (pass_.action == Action::transform)
          result[k] += line[static_cast<std::size_t>(j)] * root(n, j * out, direction_);
        else if (pass_.action == Action::sum || j == out)
          result[k] += line[static_cast<std::size_t>(j)];
      if (t.modulus > 0) result[k] *= root(t.modulus, out * (t.shift + t.step * i), direction_);
      if (pass_.scaled) result[k] *= static_cast<Index>(call.scale);
      result[k] %= prime;
    }
    return result;
  }

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
};

class ModularBackend final : public Backend {
 public:
  const Element& element() const override { return element_; }
  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort) const override {
    return std::make_unique<ModularKernel>(pass, depth, direction);
  }

 private:
  Element element_{"integer modulo 17", sizeof(Residue), alignof(Residue)};
};

std::vector<Residue> numbers(Index count) {
  std::vector<Residue> result;
  for (Index i = 0; i < count; ++i) result.push_back(static_cast<Residue>((7 * i * i + 3 * i + 1) % prime));
  return result;
}

// By definition, along all axes.
std::vector<Residue> transformed(std::vector<Residue> x, const Shape& shape, Direction direction) {
  Index stride = element_count(shape);
  for (const Index n : shape) {
    stride /= n;
    const std::vector<Residue> before = x;
    for (std::size_t at = 0; at < x.size(); ++at) {
      const auto here = static_cast<Index>(at);
      const Index k = here / stride % n, first = here - k * stride;
      Index sum = 0;
      for (Index j = 0; j < n; ++j)
        sum += before[static_cast<std::size_t>(first + j * stride)] * root(n, j * k, direction);
      x[at] = static_cast<Residue>(sum % prime);
    }
  }
  return x;
}

Index flat(const Shape& index, const Shape& shape) {
  Index offset = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) offset = offset * shape[k] + index[k];
  return offset;
}

std::vector<Residue> part(const Layout& layout, int rank, const std::vector<Residue>& all) {
  std::vector<Residue> result;
  for (Index t = 0; t < layout.local_size(rank); ++t)
    result.push_back(all[static_cast<std::size_t>(flat(layout.global_index(rank, t), layout.shape()))]);
  return result;
}

TEST(Modular, the_backend_knows_its_field) {
  EXPECT_EQ(root(16, 1, Direction::forward), 3);
  EXPECT_EQ(root(2, 1, Direction::forward), 16);
  EXPECT_EQ(root(8, 3, Direction::forward) * root(8, 3, Direction::backward) % prime, 1);
  EXPECT_THROW(root(5, 1, Direction::forward), Error);
}

TEST(Modular, every_route_transforms_residues_as_the_definition_does) {
  int runs = 0;
  for (const Shape& shape : {Shape{16}, {4, 8}, {16, 2, 4}, {8, 8}})
    for (const auto& [route, summary] : route_names())
      for (const int ranks : {1, 2, 4})
        for (const Direction direction : {Direction::forward, Direction::backward})
          for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
            std::vector<Candidate> all = candidates({.shape = shape}, ranks, {.route = route, .exchange = exchange});
            const auto found = std::find_if(
                all.begin(), all.end(), [&r = route](const Candidate& c) { return c.route == r && c.plan != nullptr; });
            if (found == all.end()) continue;
            if (found->plan->preparation(0)) continue;  // by chirps, which have conjugates: residues have none
            const Plan& it = *found->plan;
            const bool ahead = direction == Direction::forward;
            const Layout from = ahead ? it.layout_in() : it.layout_out(), to = ahead ? it.layout_out() : it.layout_in();
            const std::vector<Residue> x = numbers(element_count(shape)), y = transformed(x, shape, direction);
            const Schedule schedule = it.schedule(direction);
            run_threads(ranks, [&](const Comm& comm) {
              const std::vector<Residue> in = part(from, comm.rank(), x);
              std::vector<Residue> out(static_cast<std::size_t>(to.local_size(comm.rank())), 99);
              execute(schedule, comm, std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)),
                      {.backend = std::make_shared<ModularBackend>()});
              EXPECT_EQ(out, part(to, comm.rank(), y)) << route << " of " << text(shape) << " on " << ranks;
            });
            ++runs;
          }
  EXPECT_GE(runs, 100);
}

TEST(Modular, a_facade_takes_the_backend_and_scales_by_whole_numbers_only_if_asked) {
  const Shape shape{16, 4};
  const std::vector<Residue> x = numbers(64), y = transformed(x, shape, Direction::forward);
  run_threads(4, [&](const Comm& comm) {
    AnyFft fft({.shape = shape}, comm, {.backend = std::make_shared<ModularBackend>()});
    EXPECT_EQ(fft.element().bytes, 1u);
    const std::vector<Residue> in = part(fft.layout_in(), comm.rank(), x);
    std::vector<Residue> out(static_cast<std::size_t>(fft.local_size_out())), back(in.size());
    fft.forward(std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)));
    EXPECT_EQ(out, part(fft.layout_out(), comm.rank(), y));
    fft.backward(std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(back)));
    for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(back[i], in[i] * 64 % prime);
  });
}

}  // namespace
}  // namespace kallima
