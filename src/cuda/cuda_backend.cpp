// The device as a Backend: memory, kernels on a stream, and when they are done.

#include <array>

#include "cuda/bus_copy.cuh"
#include "cuda/host_pass.cuh"
#include "cuda/line_pass.cuh"
#include "cuda/peer_transport.hpp"
#include "cuda/staged_transport.cuh"
#include "cuda/task_kernel.cuh"
#include "cuda/whole/whole_seconds.hpp"
#include "cuda/whole/whole_transform.hpp"
#include "kallima/cuda.hpp"

namespace kallima {
namespace {

using cuda::check;
using cuda::Queue;

template <class T>
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const CudaOptions& options)
      : processor_(cpu_backend(sizeof(T) == sizeof(float) ? Precision::single_ : Precision::double_)),
        queue_(std::make_shared<Queue>(options.device, static_cast<cudaStream_t>(options.stream))) {
    if (options.place == Place::device) return;
    engines_.up = std::make_shared<Queue>(options.device, nullptr, 1);
    engines_.down = std::make_shared<Queue>(options.device, nullptr, 2);
  }

  const Element& element() const override { return processor_->element(); }
  Place place() const override { return Place::device; }
  bool done(Ticket ticket) const override {
    const std::array queues{queue_.get(), engines_.up.get(), engines_.down.get()};
    return queues[Queue::of(ticket)]->done(ticket);
  }
  bool in_order() const override { return engines_.up == nullptr; }

  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort effort) const override {
    queue_->use();
    if (engines_.up && cuda::crosses_the_bus(pass)) return cuda::compile_bus_copy(pass, depth, element(), engines_);
    const bool on_host = pass.action == Action::apply || pass.action == Action::encode || pass.action == Action::decode;
    if (on_host) return std::make_unique<cuda::HostPass>(pass, depth, direction, effort, *processor_, queue_);
    return cuda::compile_lines<T>(pass, depth, direction, queue_);
  }

  std::unique_ptr<const Kernel> compile_task(const Task& task, Direction direction, Effort effort) const override {
    queue_->use();
    constexpr Precision precision = sizeof(T) == sizeof(float) ? Precision::single_ : Precision::double_;
    return cuda::compile_whole_task(task, precision, direction, effort, *this, queue_);
  }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) const override {
    queue_->use();
    std::shared_ptr<std::byte> memory = cuda::device_memory(bytes);
    if (bytes > 0) check(cudaMemsetAsync(memory.get(), 0, bytes, queue_->stream()), "clearing memory");
    queue_->wait();
    return memory;
  }

  std::unique_ptr<Transport> carrier(std::unique_ptr<Transport> transport) const override {
    if (transport->device_blocks() == DeviceBlocks::by_address)
      return std::make_unique<cuda::PeerTransport>(std::move(transport), queue_->device());
    return std::make_unique<cuda::StagedTransport>(std::move(transport), queue_->device());
  }

  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const override {
    queue_->use();
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue_->stream()), "copying");
    queue_->wait();
  }

 private:
  std::shared_ptr<const Backend> processor_;
  std::shared_ptr<Queue> queue_;
  cuda::Engines engines_;  // where the caller's arrays are the host's
};

int device_count(std::string* why = nullptr) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    cudaGetLastError();
    if (why != nullptr) *why = fmt::format("CUDA says: {}", cudaGetErrorString(code));
    return 0;
  }
  return count;
}

}  // namespace

std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  for (int i = 0; i < device_count(); ++i) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, i), "asking about a device");
    devices.push_back({properties.name, properties.totalGlobalMem, properties.multiProcessorCount});
  }
  return devices;
}

std::string why_no_cuda() {
  std::string why;
  if (device_count(&why) > 0) return "";
  return why.empty() ? "CUDA finds no device in this machine" : why;
}

namespace {

void check_device(int device) {
  const std::string why = why_no_cuda();
  require(why.empty(), "there is no CUDA device to compute on: {}", why);
  require(device >= 0 && device < device_count(),
          "there is no CUDA device {} (this machine has {}, from 0 on): choose one of them", device, device_count());
}

// Row-major, on one rank: what cuFFT has.
cuda::WholeProblem whole_problem(const Problem& asked) {
  const Problem problem = checked(asked);
  cuda::WholeProblem whole{.shape = problem.shape, .precision = problem.precision};
  for (const int axis : problem.axes) whole.axes.push_back(axis);
  if (problem.data == Data::real_) whole.kind = cuda::TransformKind::r2c;
  for (const Kind kind : problem.kinds)
    require(kind == Kind::fourier, "cuFFT has no cosine and sine transforms: compare Fourier transforms with it");
  return whole;
}

}  // namespace

std::function<void(const void*, void*)> cufft_transform(const Problem& problem, const CudaOptions& options) {
  check_device(options.device);
  const auto queue = std::make_shared<Queue>(options.device, static_cast<cudaStream_t>(options.stream));
  const std::shared_ptr<cuda::WholeTransform> whole =
      cuda::make_whole_transform(whole_problem(problem), cuda::ChooseBy::cufft);
  const std::shared_ptr<std::byte> workspace = cuda::device_memory(whole->workspace_bytes());
  return [=](const void* in, void* out) {
    queue->use();
    whole->start(in, out, workspace.get(), queue->stream());
    queue->wait();
  };
}

std::function<void(const void*, const void*, void*)> cufft_apply(const Problem& problem, const CudaOptions& options) {
  check_device(options.device);
  const auto queue = std::make_shared<Queue>(options.device, static_cast<cudaStream_t>(options.stream));
  cuda::WholeProblem there = whole_problem(problem);
  there.scale = 1 / static_cast<double>(transformed_count(problem));
  const std::shared_ptr<cuda::WholeApply> whole =
      cuda::make_whole_apply(there, cuda::FactorKind::complex_array, cuda::ChooseBy::cufft);
  const std::shared_ptr<std::byte> workspace = cuda::device_memory(whole->workspace_bytes());
  return [=](const void* in, const void* factors, void* out) {
    queue->use();
    whole->start(in, out, factors, workspace.get(), queue->stream());
    queue->wait();
  };
}

double cuda_apply_seconds(const Problem& problem, int device) {
  check_device(device);
  check(cudaSetDevice(device), "choosing a device");
  return cuda::apply_seconds(whole_problem(problem), cuda::FactorKind::complex_array);
}

std::shared_ptr<void> cuda_pinned(std::span<std::byte> memory) {
  if (memory.empty()) return {};
  check(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterDefault), "pinning the host's memory");
  return {memory.data(), [](void* p) { cudaHostUnregister(p); }};
}

std::shared_ptr<const Backend> cuda_backend(Precision precision, const CudaOptions& options) {
  check_device(options.device);
  require(precision != Precision::long_double,
          "devices have no long doubles (single and double precision are all they compute with): use one of these");
  if (precision == Precision::single_) return std::make_shared<CudaBackend<float>>(options);
  return std::make_shared<CudaBackend<double>>(options);
}

}  // namespace kallima
