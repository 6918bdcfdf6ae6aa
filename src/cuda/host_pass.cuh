#pragma once
// What the processor does with the device's data: the caller's own function, and wire formats. A line of neighbours is
// copied to the host, worked on there by the processor's backend, and copied back.

#include "cuda/queue.cuh"
#include "kernel/line_pass.hpp"
#include "kernel/product_pass.hpp"

namespace kallima::cuda {

class HostPass final : public Kernel {
 public:
  HostPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort, const Backend& processor,
           std::shared_ptr<Queue> queue)
      : queue_(std::move(queue)), pass_(pass), depth_(depth), element_(processor.element()) {
    Pass alone = pass;
    alone.loops = {};
    place(alone.sources[0], Buffer::in);
    place(alone.targets[0], pass.action == Action::apply ? Buffer::in : Buffer::out);
    kernel_ = processor.compile(alone, 0, direction, effort);
  }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    queue_->wait();
    const Index lines = element_count(pass_.loops);
    for (Index line = 0; line < lines; ++line) run_line(call, line);
    return 0;
  }

 private:
  static void place(Piece& piece, Buffer buffer) {
    piece.buffer = buffer;
    piece.recv = -1;
    piece.offset = 0;
    piece.strides = {};
  }

  Index first_of(const Piece& piece, const KernelCall& call, Index line) const {
    return kernel::first_real(piece, call.at.first(depth_)) / kernel::unit(piece) +
           kernel::offset_of(piece, pass_.loops, depth_, line);
  }

  std::size_t bytes_of(const Piece& piece, Index count) const {
    return static_cast<std::size_t>(count) * (piece.real ? element_.real_bytes() : element_.bytes);
  }

  void run_line(const KernelCall& call, Index line) const {
    const Piece &source = pass_.sources[0], &target = pass_.targets[0];
    const bool applies = pass_.action == Action::apply;
    std::vector<std::byte> in(bytes_of(source, source.count)), out(applies ? 0 : bytes_of(target, target.count));
    const Index first = first_of(source, call, line);
    check(cudaMemcpy(in.data(), call.source(source) + bytes_of(source, first), in.size(), cudaMemcpyDeviceToHost),
          "copying a line to the host");
    Operands operands{.apply = call.operands.apply, .errors = call.operands.errors};
    operands.buffers[at(Buffer::in)] = in.data();
    operands.buffers[at(Buffer::out)] = out.data();
    const Apply at_its_place = [&](std::byte* values, Index offset, Index count) {
      (*call.operands.apply)(values, first + offset, count);
    };
    if (applies) operands.apply = &at_its_place;
    kernel_->start({operands, {}, call.scale, {}, call.progress});
    std::byte* const to = call.operands.buffers[at(target.buffer)] + bytes_of(target, first_of(target, call, line));
    const std::vector<std::byte>& result = applies ? in : out;
    check(cudaMemcpy(to, result.data(), result.size(), cudaMemcpyHostToDevice), "copying a line to the device");
  }

  std::shared_ptr<Queue> queue_;
  Pass pass_;
  std::size_t depth_;
  Element element_;
  std::unique_ptr<const Kernel> kernel_;
};

}  // namespace kallima::cuda
