#pragma once
// Transforms on NVIDIA's devices: a Backend to put into FftOptions, from the library kallima_cuda. An Fft made with it
// takes pointers to the device's memory, of any allocation, wherever it else takes arrays. Everything else of Kallima
// stays as it is: layouts, routes, schedules, traces. This header needs no CUDA.

#include <memory>

#include "kallima/backend.hpp"
#include "kallima/route.hpp"

namespace kallima {

struct CudaOptions {
  int device = 0;
  void* stream = nullptr;       // a cudaStream_t that the work is put in, behind what is there; none: one of its own
  Place place = Place::device;  // where the caller's arrays are; those of the host need the route "streamed"
};

struct CudaDevice {
  std::string name;
  std::size_t bytes = 0;  // of memory
  int multiprocessors = 0;
};

// The devices of this machine that can be used. Where there are none, why_no_cuda() says why: this library was built
// without CUDA, there is no driver, or no device.
std::vector<CudaDevice> cuda_devices();
std::string why_no_cuda();

// Complex numbers of single or double precision on a device. Each rank, or thread, should have one of its own: they
// then compute at the same time. Throws Error where the device cannot be used.
std::shared_ptr<const Backend> cuda_backend(Precision precision, const CudaOptions& options = {});

// For arrays in the host's memory (CudaOptions::place): a route that takes them through the device in parts, on one
// rank, with about so many bytes of the device's memory for each array that is under way; 0: as much as it takes.
// Add it before planning (add_route) and plan with PlanOptions::route = "streamed".
Route cuda_streamed_route(std::size_t device_bytes = 0);

// Makes memory fast to copy from and to as long as the result lives: the system may not move its pages. Other memory
// works, too, at half the rate and less.
std::shared_ptr<void> cuda_pinned(std::span<std::byte> memory);

// What a rank's schedule would be on a device, in words: how many launches its computations are, and which of them are
// transforms of whole arrays. Needs no device.
std::string cuda_explanation(const RankSchedule& schedule, Precision precision, Direction direction);

// For the simulator: seconds that each computation of a schedule takes by itself on a device, by task (0: it is none),
// with a host's call and wait behind the last. They are timed in parts, passes by themselves and cuFFT on half or less
// of an array; what these amount to in a row, and beside copies over the bus, is the simulator's to say. Waits for the
// device.
std::vector<double> cuda_task_seconds(const RankSchedule& schedule, Precision precision, Direction direction,
                                      int device = 0);
// The same of Fft::apply_factors() on the whole of a problem's array.
double cuda_apply_seconds(const Problem& problem, int device = 0);

// Bytes per second over the bus, of arrays like those that cuda_pinned() makes fast: either way by itself, and while
// the other way is busy, too.
struct CudaBus {
  double up = 0, down = 0;
  double up_at_once = 0, down_at_once = 0;
};
CudaBus cuda_bus(int device = 0);

// What the device does by itself, measured: multiplications and additions of doubles, and bytes read and written by a
// copy; and how much its last cache holds.
struct CudaRates {
  double flop_per_s = 0;
  double memory_bytes_per_s = 0;
  double cache_bytes = 0;
};
CudaRates cuda_rates(int device = 0);

// cuFFT's transform of the whole of a problem's array, forward, to compare with: transforms what the first pointer says
// into what the second does, in the device's memory, and waits for the end.
std::function<void(const void*, void*)> cufft_transform(const Problem& problem, const CudaOptions& options = {});

// cuFFT, a kernel that multiplies, and cuFFT: what Fft::apply_factors() does with Norm::full. Takes the array, as many
// complex factors as its spectrum has elements, and where the result is to be.
std::function<void(const void*, const void*, void*)> cufft_apply(const Problem& problem,
                                                                 const CudaOptions& options = {});

}  // namespace kallima
