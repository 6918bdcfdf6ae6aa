// What a device's work takes by itself, for the simulator to put together: computations by their parts, and the bus.

#include <chrono>
#include <map>
#include <tuple>

#include "cuda/device.cuh"
#include "cuda/model/spread_task.hpp"
#include "cuda/model/whole_run.hpp"
#include "cuda/whole/measured_way.hpp"
#include "cuda/whole/pointwise.hpp"
#include "cuda/whole/whole_seconds.hpp"
#include "execute/program.hpp"
#include "kallima/cuda.hpp"
#include "kallima/memory.hpp"
#include "kallima/problem.hpp"

namespace kallima {
namespace {

using cuda::check;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// One that the default stream waits for, as measurements do.
std::shared_ptr<CUstream_st> made_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "making a stream");
  return {stream, [](cudaStream_t s) { cudaStreamDestroy(s); }};
}

class TaskTimer {
 public:
  TaskTimer(const RankSchedule& schedule, Precision precision, Direction direction, int device)
      : schedule_(schedule),
        precision_(precision),
        direction_(direction),
        stream_(made_stream()),
        backend_(cuda_backend(precision, {.device = device, .stream = stream_.get()})) {}

  // Tasks of one stage that do as much are alike.
  double seconds(const Task& task) {
    const auto [it, is_new] = known_.try_emplace({task.label, task.flops, task.elements});
    if (is_new) it->second = timed(task);
    return it->second;
  }

  // Of the host: to start something that takes no time, and to see that it is over.
  double call_and_wait() {
    const auto memory = backend_->allocate(16);
    constexpr int calls = 200;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      check(cudaMemsetAsync(memory.get(), 0, 16, stream_.get()), "starting something");
      check(cudaStreamSynchronize(stream_.get()), "waiting for it");
    }
    return seconds_since(begin) / calls;
  }

 private:
  double timed(const Task& task) {
    const auto spread = cuda::spread_task(task.steps);
    require(spread.has_value(), "the computation '{}' has repeats that depend on one another, which are not priced",
            task.label);
    const std::vector<Pass>& passes = spread->passes;
    double all = 0;
    for (std::size_t i = 0; i < passes.size();) {
      const auto rest = std::span(passes).subspan(i);
      const cuda::WholeProduct product = cuda::whole_product(rest, precision_, direction_);
      const cuda::WholeRun run = cuda::whole_run(rest, precision_, direction_);
      if (product.passes > 0)
        all += cuda::apply_seconds(product.problem, cuda::FactorKind::complex_array);
      else if (run.passes > 0)
        all += cuda::whole_seconds(run.problem);
      else
        all += timed(rest.front());
      i += std::max<std::size_t>(1, std::max(product.passes, run.passes));
    }
    return all;
  }

  double timed(const Pass& pass) {
    const auto kernel = backend_->compile(pass, 0, direction_, Effort::estimate);
    for (const std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
      for (const Piece& piece : *pieces) make(piece.buffer);
    const auto tile = backend_->allocate(kernel->tile_bytes());
    const Progress nothing = [] {};
    const KernelCall call{operands_, {}, 1, {tile.get(), kernel->tile_bytes()}, nothing};
    Ticket last = 0;
    const double ms = cuda::timed_in_turns({[&] { last = kernel->start(call); }}, 5, 4)[0];
    while (!backend_->done(last)) continue;
    return 1e-3 * ms;
  }

  void make(Buffer buffer) {
    if (memory_[at(buffer)]) return;
    const std::size_t bytes = buffer_bytes(schedule_, buffer, backend_->element());
    memory_[at(buffer)] = backend_->allocate(bytes);
    operands_.buffers[at(buffer)] = memory_[at(buffer)].get();
  }

  const RankSchedule& schedule_;
  Precision precision_;
  Direction direction_;
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<const Backend> backend_;
  Operands operands_;
  std::array<std::shared_ptr<std::byte>, buffers.size()> memory_;
  std::map<std::tuple<std::string, double, Index>, double> known_;
};

// Copies of `count` pieces each way, at the same time.
double copy_seconds(std::byte* device, std::span<std::byte> host, bool up, bool down) {
  constexpr std::size_t piece = std::size_t{64} << 20;
  const auto first = made_stream(), second = made_stream();
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < host.size() / 2; at += piece) {
      std::byte *const from = host.data() + at, *const to = from + host.size() / 2;
      if (up) check(cudaMemcpyAsync(device + at, from, piece, cudaMemcpyDefault, first.get()), "copying");
      if (down)
        check(cudaMemcpyAsync(to, device + host.size() / 2 + at, piece, cudaMemcpyDefault, second.get()), "copying");
    }
    check(cudaStreamSynchronize(first.get()), "copying");
    check(cudaStreamSynchronize(second.get()), "copying");
    const double seconds = seconds_since(begin);
    best = round == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

}  // namespace

std::vector<double> cuda_task_seconds(const RankSchedule& schedule, Precision precision, Direction direction,
                                      int device) {
  check(cudaSetDevice(device), "choosing a device");
  TaskTimer timer(schedule, precision, direction, device);
  std::vector<double> seconds;
  for (const Task& task : schedule.tasks) seconds.push_back(task.kind == TaskKind::compute ? timer.seconds(task) : 0);
  for (std::size_t i = seconds.size(); i-- > 0;) {
    if (schedule.tasks[i].kind != TaskKind::compute) continue;
    seconds[i] += timer.call_and_wait();
    break;
  }
  return seconds;
}

CudaRates cuda_rates(int device) {
  check(cudaSetDevice(device), "choosing a device");
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int rounds = 7;
  constexpr double round_ms = 8;
  const auto from = cuda::scratch_noise(bytes, Precision::double_, 1), to = cuda::scratch_memory(bytes);
  double flops = 0;
  const auto times = cuda::timed_in_turns(
      {[&] { flops = cuda::start_multiply_adds(static_cast<double*>(to.get()), nullptr); },
       [&] { check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, nullptr), "copying"); }},
      rounds, round_ms);
  int cache = 0;
  check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device), "asking for the size of the cache");
  return {.flop_per_s = flops / (1e-3 * times[0]),
          .memory_bytes_per_s = 2.0 * static_cast<double>(bytes) / (1e-3 * times[1]),
          .cache_bytes = static_cast<double>(cache)};
}

CudaBus cuda_bus(int device) {
  check(cudaSetDevice(device), "choosing a device");
  Array<std::byte> host(Index{1} << 30);
  const auto pinned = cuda_pinned(host.span());
  const auto there = cuda::device_memory(host.span().size());
  const auto rate = [&](bool up, bool down) {
    return static_cast<double>(host.span().size() / 2) / copy_seconds(there.get(), host.span(), up, down);
  };
  const double both = rate(true, true);
  return {.up = rate(true, false), .down = rate(false, true), .up_at_once = both, .down_at_once = both};
}

}  // namespace kallima
