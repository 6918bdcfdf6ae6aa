#pragma once
// Work that is started on the same arrays again is recorded, as a CUDA graph: its kernels then follow each other sooner
// than those that the host starts one by one, which is a tenth of the time of arrays as small as 100^3. It is recorded
// in a stream of its own, since others may put work into the one it is meant for. For one thread.

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/cuda_check.cuh"

namespace kallima::cuda {

class Recordings {
 public:
  using Arrays = std::array<const void*, 5>;  // all that work depends on
  using Work = std::function<void(cudaStream_t)>;

  // `work` puts work on these arrays into a stream.
  void start(const Arrays& arrays, cudaStream_t stream, const Work& work);

 private:
  using Graph = std::shared_ptr<CUgraphExec_st>;
  struct Recording {
    Arrays arrays = {};
    bool tried = false;
    Graph graph = {};  // none: it was not tried, or does not work
  };
  static constexpr std::size_t most = 8;

  static Graph recorded(const Work& work);

  std::vector<Recording> recordings_;
  std::size_t next_ = 0;  // to be given up
};

}  // namespace kallima::cuda
