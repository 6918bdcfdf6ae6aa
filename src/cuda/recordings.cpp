#include "cuda/recordings.hpp"

#include <algorithm>
#include <utility>

namespace kallima::cuda {
namespace {

bool may_be_recorded(cudaStream_t stream) {
  unsigned flags = 0;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const bool asked = stream != nullptr && cudaStreamGetFlags(stream, &flags) == cudaSuccess &&
                     cudaStreamIsCapturing(stream, &status) == cudaSuccess;
  return asked && (flags & cudaStreamNonBlocking) != 0 && status == cudaStreamCaptureStatusNone;
}

}  // namespace

void Recordings::start(const Arrays& arrays, cudaStream_t stream, const std::function<void()>& work) {
  const auto found = std::ranges::find(recordings_, arrays, &Recording::arrays);
  if (found == recordings_.end()) {
    if (recordings_.size() < most)
      recordings_.push_back({arrays});
    else
      recordings_[next_++ % most] = {arrays};
    return work();
  }
  if (!std::exchange(found->tried, true)) found->graph = recorded(stream, work);
  if (!found->graph) return work();
  check(cudaGraphLaunch(found->graph.get(), stream), "starting what was recorded");
}

// None where the stream or the work cannot be recorded.
Recordings::Graph Recordings::recorded(cudaStream_t stream, const std::function<void()>& work) {
  if (!may_be_recorded(stream)) return {};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
    bool works = true;
    try {
      work();
    } catch (const Error&) {
      works = false;
    }
    works = cudaStreamEndCapture(stream, &graph) == cudaSuccess && works;
    if (works && cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess) ready = nullptr;
  }
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
  return {ready, [](cudaGraphExec_t done) {
            if (done != nullptr) cudaGraphExecDestroy(done);
          }};
}

}  // namespace kallima::cuda
