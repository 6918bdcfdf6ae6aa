// Running plans in C.

#include <span>

#include "c/plan.hpp"
#include "c/problem.hpp"

using namespace kallima::c;
using kallima::AnyFft;
using kallima::Direction;

struct kallima_pending_s {
  std::shared_ptr<AnyFft> fft;  // outlives what is under way
  kallima::AnyPending pending;
};

namespace {

// The two arrays of a run, whose lengths only the plan knows. One that serves for both may be longer than one needs.
struct Arrays {
  std::span<const std::byte> in;
  std::span<std::byte> out;

  Arrays(const AnyFft& fft, Direction direction, const void* from, void* to) {
    const bool forward = direction == Direction::forward;
    const std::size_t sizes[] = {bytes(fft, forward ? KALLIMA_IN : KALLIMA_OUT),
                                 bytes(fft, forward ? KALLIMA_OUT : KALLIMA_IN)};
    if ((from == nullptr && sizes[0] > 0) || (to == nullptr && sizes[1] > 0))
      throw kallima::Error("an array is NULL: pass kallima_local_bytes() of memory");
    in = {static_cast<const std::byte*>(from), sizes[0]};
    out = {static_cast<std::byte*>(to), sizes[1]};
  }
};

kallima_status execute(kallima_plan plan, Direction direction, const void* in, void* out, kallima_norm norm) {
  return answer([&] {
    AnyFft& fft = fft_of(plan);
    const Arrays arrays(fft, direction, in, out);
    direction == Direction::forward ? fft.forward(arrays.in, arrays.out, norm_named(norm))
                                    : fft.backward(arrays.in, arrays.out, norm_named(norm));
  });
}

kallima_status execute_many(kallima_plan plan, Direction direction, int count, const void* const* in, void* const* out,
                            kallima_norm norm) {
  return answer([&] {
    AnyFft& fft = fft_of(plan);
    std::vector<kallima::ArrayIn> from;
    std::vector<kallima::ArrayOut> to;
    for (int i = 0; i < count; ++i) {
      const Arrays arrays(fft, direction, (&held(in, "list of arrays"))[i], (&held(out, "list of arrays"))[i]);
      from.emplace_back(arrays.in);
      to.emplace_back(arrays.out);
    }
    direction == Direction::forward ? fft.forward_many(from, to, norm_named(norm))
                                    : fft.backward_many(from, to, norm_named(norm));
  });
}

kallima_pending start(kallima_plan plan, Direction direction, const void* in, void* out, kallima_norm norm) {
  return made([&] {
    AnyFft& fft = fft_of(plan);
    const Arrays arrays(fft, direction, in, out);
    return new kallima_pending_s{plan->fft, direction == Direction::forward
                                                ? fft.start_forward(arrays.in, arrays.out, norm_named(norm))
                                                : fft.start_backward(arrays.in, arrays.out, norm_named(norm))};
  });
}

}  // namespace

kallima_status kallima_execute_forward(kallima_plan plan, const void* in, void* out, kallima_norm norm) {
  return execute(plan, Direction::forward, in, out, norm);
}

kallima_status kallima_execute_backward(kallima_plan plan, const void* in, void* out, kallima_norm norm) {
  return execute(plan, Direction::backward, in, out, norm);
}

kallima_status kallima_execute_forward_many(kallima_plan plan, int count, const void* const* in, void* const* out,
                                            kallima_norm norm) {
  return execute_many(plan, Direction::forward, count, in, out, norm);
}

kallima_status kallima_execute_backward_many(kallima_plan plan, int count, const void* const* in, void* const* out,
                                             kallima_norm norm) {
  return execute_many(plan, Direction::backward, count, in, out, norm);
}

kallima_pending kallima_start_forward(kallima_plan plan, const void* in, void* out, kallima_norm norm) {
  return start(plan, Direction::forward, in, out, norm);
}

kallima_pending kallima_start_backward(kallima_plan plan, const void* in, void* out, kallima_norm norm) {
  return start(plan, Direction::backward, in, out, norm);
}

kallima_status kallima_test(kallima_pending pending, int* done) {
  return answer(
      [&] { held(done, "place for the answer") = held(pending, "transform under way").pending.test() ? 1 : 0; });
}

kallima_status kallima_wait(kallima_pending pending) {
  const std::unique_ptr<kallima_pending_s> ending(pending);
  return answer([&] { held(pending, "transform under way").pending.wait(); });
}
