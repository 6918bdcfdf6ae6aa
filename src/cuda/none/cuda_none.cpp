// What the library says of devices where it was built without CUDA.

#include "base/check.hpp"
#include "kallima/cuda.hpp"

namespace kallima {

std::vector<CudaDevice> cuda_devices() { return {}; }

std::string why_no_cuda() {
  return "this program was built without CUDA (no toolkit was found, or KALLIMA_CUDA is OFF): install NVIDIA's CUDA "
         "toolkit, with cuFFT, and build again";
}

std::shared_ptr<const Backend> cuda_backend(Precision, const CudaOptions&) {
  fail("there is no CUDA device to compute on: {}", why_no_cuda());
}

std::shared_ptr<void> cuda_pinned(std::span<std::byte>) { return {}; }

std::vector<double> cuda_task_seconds(const RankSchedule&, Precision, Direction, int) {
  fail("there is no CUDA device to measure: {}", why_no_cuda());
}

double cuda_apply_seconds(const Problem&, int) { fail("there is no CUDA device to measure: {}", why_no_cuda()); }

CudaRates cuda_rates(int) { fail("there is no CUDA device to measure: {}", why_no_cuda()); }

CudaBus cuda_bus(int) { fail("there is no CUDA device to measure: {}", why_no_cuda()); }

std::function<void(const void*, void*)> cufft_transform(const Problem&, const CudaOptions&) {
  fail("there is no cuFFT to compare with: {}", why_no_cuda());
}

std::function<void(const void*, const void*, void*)> cufft_apply(const Problem&, const CudaOptions&) {
  fail("there is no cuFFT to compare with: {}", why_no_cuda());
}

}  // namespace kallima
