// One array that a process has whole, in C: a StridedFft for each direction.

#include <cmath>
#include <vector>

#include "c/problem.hpp"
#include "kallima/strided.hpp"

using namespace kallima::c;
using kallima::Direction;
using kallima::Norm;
using kallima::Problem;
using kallima::StridedFft;

struct kallima_array_plan_s {
  StridedFft forward, backward;
  std::size_t bytes[2];  // of both arrays, where they are row-major; 0: they are not
};

namespace {

// Fills strides in where there are none, and says how many bytes such an array takes.
std::vector<kallima::Index> strides_or_dense(const int64_t* strides, const kallima::Shape& shape, kallima::Data data,
                                             std::size_t element, std::size_t& bytes) {
  bytes = 0;
  if (strides != nullptr) return {strides, strides + shape.size()};
  bytes = static_cast<std::size_t>(kallima::element_count(shape)) * element / (data == kallima::Data::real_ ? 2 : 1);
  return kallima::strides_of({}, shape);
}

kallima_status run(kallima_array_plan plan, Direction direction, const void* in, void* out, kallima_norm norm) {
  return answer([&] {
    const bool is_forward = direction == Direction::forward;
    const StridedFft& fft = is_forward ? held(plan, "plan").forward : held(plan, "plan").backward;
    if (in == nullptr || out == nullptr) throw kallima::Error("an array is NULL: pass memory for all of it");
    const auto points = static_cast<long double>(fft.points());
    const Norm asked = norm_named(norm);
    const long double scale = asked == Norm::none ? 1 : 1 / (asked == Norm::full ? points : std::sqrt(points));
    if (in != out) return fft.run(in, out, scale);
    if (plan->bytes[0] == 0 || plan->bytes[1] == 0)
      throw kallima::Error("in and out are one array, which has strides of its own: in place takes row-major arrays");
    const auto* const first = static_cast<const std::byte*>(in);
    const std::vector<std::byte> copy(first, first + plan->bytes[is_forward ? 0 : 1]);
    fft.run(copy.data(), out, scale);
  });
}

}  // namespace

kallima_array_plan kallima_plan_array(const kallima_problem* asked, const int64_t* strides_in,
                                      const int64_t* strides_out, int threads) {
  return made([&] {
    kallima_problem plain = held(asked, "problem");
    plain.in = plain.out = nullptr;
    const Problem p = checked(problem_of(plain, 1));
    if (threads < 1) throw kallima::Error("a plan for " + std::to_string(threads) + " threads: give 1 or more");
    const std::size_t element = kallima::cpu_backend(p.precision)->element().bytes;
    std::size_t bytes[2];
    const auto in = strides_or_dense(strides_in, p.shape, p.data, element, bytes[0]);
    const auto out = strides_or_dense(strides_out, spectrum_shape(p), spectrum_data(p), element, bytes[1]);
    return new kallima_array_plan_s{StridedFft(p, Direction::forward, in, out, threads),
                                    StridedFft(p, Direction::backward, out, in, threads),
                                    {bytes[0], bytes[1]}};
  });
}

void kallima_destroy_array_plan(kallima_array_plan plan) { delete plan; }

kallima_status kallima_array_forward(kallima_array_plan plan, const void* in, void* out, kallima_norm norm) {
  return run(plan, Direction::forward, in, out, norm);
}

kallima_status kallima_array_backward(kallima_array_plan plan, const void* in, void* out, kallima_norm norm) {
  return run(plan, Direction::backward, in, out, norm);
}

int kallima_array_threads(kallima_array_plan plan) {
  return made([&] { return held(plan, "plan").forward.threads(); });
}
