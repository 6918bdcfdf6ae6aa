#include "cuda/bus_copy.cuh"

#include "cuda/model/line_plan.hpp"
#include "kallima/problem.hpp"
#include "kernel/product_pass.hpp"

namespace kallima::cuda {
namespace {

bool is_host(const Piece& piece) {
  return piece.recv < 0 && (piece.buffer == Buffer::in || piece.buffer == Buffer::out);
}

class BusCopy final : public Kernel {
 public:
  BusCopy(Pass pass, std::size_t depth, const Element& element, std::shared_ptr<Queue> queue)
      : pass_(std::move(pass)), depth_(depth), bytes_(element.bytes), queue_(std::move(queue)) {
    if (pass_.loops.empty()) return;
    rows_ = at(pass_.loops.back());
    pitch_from_ = at(pass_.sources[0].strides.back()) * bytes_;
    pitch_to_ = at(pass_.targets[0].strides.back()) * bytes_;
  }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    const std::vector<Index> outer(pass_.loops.begin(),
                                   pass_.loops.empty() ? pass_.loops.end() : pass_.loops.end() - 1);
    const std::size_t width = at(pass_.length) * bytes_;
    for (Index i = 0; i < element_count(outer); ++i) {
      const std::byte* const from = call.source(pass_.sources[0]) + place(pass_.sources[0], outer, call, i);
      std::byte* const to =
          call.operands.buffers[at(pass_.targets[0].buffer)] + place(pass_.targets[0], outer, call, i);
      const auto wide = [&](std::size_t pitch) { return std::max(pitch, width); };  // one row has no pitch
      check(cudaMemcpy2DAsync(to, wide(pitch_to_), from, wide(pitch_from_), width, rows_, cudaMemcpyDefault,
                              queue_->stream()),
            "copying over the bus");
    }
    return queue_->mark();
  }

 private:
  std::size_t place(const Piece& piece, const std::vector<Index>& outer, const KernelCall& call, Index i) const {
    const Index first = kernel::first_real(piece, call.at.first(depth_)) / kernel::unit(piece);
    return at(first + kernel::offset_of(piece, outer, depth_, i)) * bytes_;
  }

  Pass pass_;
  std::size_t depth_, bytes_;
  std::shared_ptr<Queue> queue_;
  std::size_t rows_ = 1, pitch_from_ = 0, pitch_to_ = 0;
};

}  // namespace

bool crosses_the_bus(const Pass& pass) {
  bool any = false;
  for (const std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
    for (const Piece& piece : *pieces) any = any || is_host(piece);
  return any;
}

std::unique_ptr<const Kernel> compile_bus_copy(const Pass& pass, std::size_t depth, const Element& element,
                                               const Engines& engines) {
  const auto plain = [](const std::vector<Piece>& pieces) {
    return pieces.size() == 1 && !pieces[0].real && pieces[0].every == 1 && pieces[0].stride == 1;
  };
  const bool copies = pass.action == Action::move && pass.twiddle.modulus == 0 && !pass.conjugated &&
                      plain(pass.sources) && plain(pass.targets) &&
                      is_host(pass.sources[0]) != is_host(pass.targets[0]);
  require(copies,
          "arrays in the host's memory can only be copied to the device and back (this route computes on them): use "
          "route streamed");
  return std::make_unique<BusCopy>(simplified(pass, depth), depth, element,
                                   is_host(pass.sources[0]) ? engines.up : engines.down);
}

}  // namespace kallima::cuda
