// Which way a transform goes.

#include "cuda/whole/cufft_transform.hpp"

namespace kallima::cuda {

std::unique_ptr<WholeTransform> make_whole_transform(const WholeProblem& problem, ChooseBy) {
  return make_cufft_transform(problem);
}

std::unique_ptr<WholeApply> make_whole_apply(const WholeProblem& forward, FactorKind factor, ChooseBy) {
  return make_cufft_apply(forward, factor);
}

}  // namespace kallima::cuda
