#include "cuda/recordings.hpp"

#include <algorithm>
#include <utility>

namespace kallima::cuda {
namespace {

// Null where that does not work.
cudaGraph_t captured(cudaStream_t stream, const Recordings::Work& work) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
  bool works = true;
  try {
    work(stream);
  } catch (const Error&) {
    works = false;
  }
  cudaGraph_t graph = nullptr;
  works = cudaStreamEndCapture(stream, &graph) == cudaSuccess && works;
  if (works || graph == nullptr) return graph;
  cudaGraphDestroy(graph);
  return nullptr;
}

}  // namespace

void Recordings::start(const Arrays& arrays, cudaStream_t stream, const Work& work) {
  const auto found = std::ranges::find(recordings_, arrays, &Recording::arrays);
  if (found == recordings_.end()) {
    if (recordings_.size() < most)
      recordings_.push_back({arrays});
    else
      recordings_[next_++ % most] = {arrays};
    return work(stream);
  }
  if (!std::exchange(found->tried, true)) found->graph = recorded(work);
  if (!found->graph) return work(stream);
  check(cudaGraphLaunch(found->graph.get(), stream), "starting what was recorded");
}

Recordings::Graph Recordings::recorded(const Work& work) {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t ready = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
    const cudaGraph_t graph = captured(stream, work);
    if (graph != nullptr && cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess) ready = nullptr;
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  cudaGetLastError();
  if (ready == nullptr) return {};
  return {ready, [](cudaGraphExec_t done) { cudaGraphExecDestroy(done); }};
}

}  // namespace kallima::cuda
