// cuFFT transforms runs of at most three neighbouring dimensions, with one distance between the lines of a batch. What
// is asked for is taken apart into such runs, done one after the other: of real data the run that ends with the halved
// axis comes first on the way to the spectrum and last on the way back. Work areas are the caller's.

#include "cuda/whole/cufft_transform.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "cuda/cuda_check.cuh"
#include "cuda/whole/pointwise.hpp"

namespace kallima::cuda {

Index real_extent(Index n) { return n / 2 + 1; }

namespace {

std::vector<int> axes_of(const WholeProblem& problem) {
  if (!problem.axes.empty()) return problem.axes;
  std::vector<int> all(problem.shape.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Index product(const std::vector<Index>& shape, std::size_t from, std::size_t to) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(from),
                         shape.begin() + static_cast<std::ptrdiff_t>(to), Index{1}, std::multiplies<>());
}

std::vector<Index> spectrum_extents(const WholeProblem& problem) {
  auto shape = problem.shape;
  if (problem.kind != TransformKind::c2c) {
    auto& halved = shape[at(axes_of(problem).back())];
    halved = real_extent(halved);
  }
  return shape;
}

std::size_t bytes_of(const WholeProblem& problem, bool real) {
  const auto shape = real ? problem.shape : spectrum_extents(problem);
  const std::size_t reals = real ? 1 : 2;
  return at(product(shape, 0, shape.size()) * problem.batch) * reals *
         (problem.precision == Precision::double_ ? 8 : 4);
}

// Neighbouring dimensions, and the transform that is done along them.
struct CufftRun {
  std::vector<int> dims;
  TransformKind kind = TransformKind::c2c;
};

// The halved axis, if any, ends its run; the others of a run are in the order of the dimensions.
std::vector<CufftRun> runs_of(const WholeProblem& problem) {
  auto axes = axes_of(problem);
  const bool real = problem.kind != TransformKind::c2c;
  const int halved = real ? axes.back() : -1;
  std::sort(axes.begin(), axes.end(), std::greater<>());
  std::vector<CufftRun> runs;
  for (const int axis : axes) {
    const bool joins =
        !runs.empty() && runs.back().dims.front() == axis + 1 && runs.back().dims.size() < 3 && axis != halved;
    if (joins)
      runs.back().dims.insert(runs.back().dims.begin(), axis);
    else
      runs.push_back({{axis}, axis == halved ? problem.kind : TransformKind::c2c});
  }
  const auto first_real =
      std::find_if(runs.begin(), runs.end(), [](const auto& run) { return run.kind != TransformKind::c2c; });
  if (first_real != runs.end()) std::rotate(runs.begin(), first_real, first_real + 1);
  if (problem.kind == TransformKind::c2r) std::rotate(runs.begin(), runs.begin() + 1, runs.end());
  return runs;
}

cufftType type_of(TransformKind kind, Precision precision) {
  const bool wide = precision == Precision::double_;
  if (kind == TransformKind::r2c) return wide ? CUFFT_D2Z : CUFFT_R2C;
  if (kind == TransformKind::c2r) return wide ? CUFFT_Z2D : CUFFT_C2R;
  return wide ? CUFFT_Z2Z : CUFFT_C2C;
}

class CufftHandle {
 public:
  CufftHandle() { check(cufftCreate(&handle_), "make a plan"); }
  CufftHandle(CufftHandle&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  CufftHandle& operator=(CufftHandle&&) = delete;
  ~CufftHandle() {
    if (handle_ >= 0) cufftDestroy(handle_);
  }
  cufftHandle get() const { return handle_; }

 private:
  cufftHandle handle_ = -1;
};

// One run over the whole array: `repeats` calls, each of a batch of lines.
class CufftStep {
 public:
  CufftStep(const CufftRun& run, const WholeProblem& problem) : kind_(run.kind), precision_(problem.precision) {
    const auto spectrum = spectrum_extents(problem);
    const auto first = at(run.dims.front()), end = at(run.dims.back()) + 1;
    const auto inner = product(spectrum, end, spectrum.size());
    const auto outer = product(spectrum, 0, first) * problem.batch;
    const Index complex_volume = product(spectrum, first, end);
    std::vector<long long> n, complex_embed, real_embed;
    for (auto dim = first; dim < end; ++dim) {
      const bool last = dim + 1 == end;
      n.push_back(last && run.kind != TransformKind::c2c ? problem.shape[dim] : spectrum[dim]);
      complex_embed.push_back(spectrum[dim]);
      real_embed.push_back(problem.shape[dim]);
    }
    const Index real_volume = std::accumulate(real_embed.begin(), real_embed.end(), Index{1}, std::multiplies<>());
    const bool lines_are_apart = inner == 1;  // then all of them are one batch
    repeats_ = lines_are_apart ? 1 : outer;
    const auto batch = lines_are_apart ? outer : inner;
    const auto distance = [&](Index volume) { return lines_are_apart ? volume : 1; };
    const bool from_real = run.kind == TransformKind::r2c, to_real = run.kind == TransformKind::c2r;
    step_in_ = inner * (from_real ? real_volume : complex_volume) * bytes(from_real);
    step_out_ = inner * (to_real ? real_volume : complex_volume) * bytes(to_real);
    check(cufftSetAutoAllocation(plan_.get(), 0), "leave work areas to us");
    check(cufftMakePlanMany64(plan_.get(), static_cast<int>(n.size()), n.data(),
                              from_real ? real_embed.data() : complex_embed.data(), inner,
                              distance(from_real ? real_volume : complex_volume),
                              to_real ? real_embed.data() : complex_embed.data(), inner,
                              distance(to_real ? real_volume : complex_volume), type_of(run.kind, problem.precision),
                              batch, &work_bytes_),
          "make a plan");
  }

  std::size_t work_bytes() const { return work_bytes_; }
  TransformKind kind() const { return kind_; }

  void start(const void* in, void* out, void* work, int sign, Stream stream) const {
    check(cufftSetStream(plan_.get(), stream), "take a stream");
    if (work_bytes_ > 0) check(cufftSetWorkArea(plan_.get(), work), "take a work area");
    for (Index i = 0; i < repeats_; ++i)
      execute(static_cast<const char*>(in) + i * step_in_, static_cast<char*>(out) + i * step_out_, sign);
  }

 private:
  Index bytes(bool real) const { return (precision_ == Precision::double_ ? 8 : 4) * (real ? 1 : 2); }

  void execute(const char* in, char* out, int sign) const {
    auto* from = const_cast<char*>(in);
    const auto h = plan_.get();
    const int direction = sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
    using Z = cufftDoubleComplex;
    using C = cufftComplex;
    cufftResult result = CUFFT_SUCCESS;
    const bool wide = precision_ == Precision::double_;
    if (kind_ == TransformKind::r2c)
      result = wide ? cufftExecD2Z(h, reinterpret_cast<double*>(from), reinterpret_cast<Z*>(out))
                    : cufftExecR2C(h, reinterpret_cast<float*>(from), reinterpret_cast<C*>(out));
    else if (kind_ == TransformKind::c2r)
      result = wide ? cufftExecZ2D(h, reinterpret_cast<Z*>(from), reinterpret_cast<double*>(out))
                    : cufftExecC2R(h, reinterpret_cast<C*>(from), reinterpret_cast<float*>(out));
    else
      result = wide ? cufftExecZ2Z(h, reinterpret_cast<Z*>(from), reinterpret_cast<Z*>(out), direction)
                    : cufftExecC2C(h, reinterpret_cast<C*>(from), reinterpret_cast<C*>(out), direction);
    check(result, "transform");
  }

  TransformKind kind_;
  Precision precision_;
  CufftHandle plan_;
  std::size_t work_bytes_ = 0;
  Index repeats_ = 1;
  Index step_in_ = 0, step_out_ = 0;  // bytes from one call's array to the next one's
};

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// cuFFT's transforms to real data destroy what they read, so that they read a copy.
class CufftTransform final : public WholeTransform {
 public:
  explicit CufftTransform(const WholeProblem& problem) : problem_(problem) {
    for (const auto& run : runs_of(problem)) steps_.emplace_back(run, problem);
    for (const auto& step : steps_) work_bytes_ = std::max(work_bytes_, step.work_bytes());
    const bool moves = problem.kind == TransformKind::r2c && problem.in_place;  // the two have different sizes
    if (problem.kind == TransformKind::c2r || moves) copy_bytes_ = aligned(input_bytes(problem));
  }

  std::size_t workspace_bytes() const override { return copy_bytes_ + work_bytes_; }
  std::string name() const override { return "cuFFT"; }

  void start(const void* in, void* out, void* workspace, Stream stream) const override {
    const std::lock_guard lock(mutex_);  // a plan has one stream and one work area at a time
    auto* copy = static_cast<char*>(workspace);
    auto* work = copy + copy_bytes_;
    const bool to_real = problem_.kind == TransformKind::c2r;
    require(in != out || problem_.in_place, "this transform was not made for one array in and out");
    if (to_real || (in == out && copy_bytes_ > 0)) {
      check(cudaMemcpyAsync(copy, in, input_bytes(problem_), cudaMemcpyDeviceToDevice, stream), "copying an array");
      in = copy;
    }
    for (const auto& step : steps_) {
      void* to = to_real && step.kind() == TransformKind::c2c ? copy : out;
      step.start(in, to, work, problem_.sign, stream);
      in = to;
    }
    const auto reals = static_cast<Index>(output_bytes(problem_) / (problem_.precision == Precision::double_ ? 8 : 4));
    if (problem_.scale != 1.0) start_scale(out, reals, problem_.scale, problem_.precision, stream);
    check(cudaGetLastError(), "starting a transform");
  }

 private:
  WholeProblem problem_;
  std::vector<CufftStep> steps_;
  std::size_t work_bytes_ = 0, copy_bytes_ = 0;
  mutable std::mutex mutex_;
};

WholeProblem backward_of(const WholeProblem& forward) {
  auto back = forward;
  back.kind = forward.kind == TransformKind::r2c ? TransformKind::c2r : TransformKind::c2c;
  back.sign = -forward.sign;
  return back;
}

class CufftApply final : public WholeApply {
 public:
  CufftApply(const WholeProblem& forward, FactorKind factor)
      : forward_(forward), factor_(factor), there_(unscaled(forward)), back_(unscaled(backward_of(forward))) {
    if (forward.kind == TransformKind::r2c) spectrum_bytes_ = aligned(output_bytes(forward));
  }

  std::size_t workspace_bytes() const override {
    return spectrum_bytes_ + std::max(there_.workspace_bytes(), back_.workspace_bytes());
  }
  std::string name() const override { return "cuFFT, multiply, cuFFT"; }

  void start(const void* in, void* out, const void* factor, void* workspace, Stream stream) const override {
    void* spectrum = spectrum_bytes_ > 0 ? workspace : out;
    void* work = static_cast<char*>(workspace) + spectrum_bytes_;
    there_.start(in, spectrum, work, stream);
    const auto count = static_cast<Index>(output_bytes(forward_) / (forward_.precision == Precision::double_ ? 16 : 8));
    start_multiply(spectrum, factor, count, count / forward_.batch, factor_, forward_.scale, forward_.precision,
                   stream);
    back_.start(spectrum, out, work, stream);
  }

 private:
  static WholeProblem unscaled(WholeProblem problem) {
    problem.scale = 1.0;
    return problem;
  }

  WholeProblem forward_;
  FactorKind factor_;
  CufftTransform there_, back_;
  std::size_t spectrum_bytes_ = 0;
};

void check_problem(const WholeProblem& problem) {
  require(!problem.shape.empty() && problem.batch >= 1, "nothing to transform ({} dimensions, batch {})",
          problem.shape.size(), problem.batch);
  require(problem.precision != Precision::long_double, "CUDA devices compute in single and double precision only");
  const auto dims = static_cast<int>(problem.shape.size());
  auto axes = axes_of(problem);
  for (const int axis : axes)
    require(axis >= 0 && axis < dims, "axis {} does not exist (the array has {} dimensions)", axis, dims);
  std::sort(axes.begin(), axes.end());
  require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), "an axis is named twice");
  for (const Index n : problem.shape) require(n >= 1, "an array cannot have {} elements along a dimension", n);
}

}  // namespace

std::size_t input_bytes(const WholeProblem& problem) { return bytes_of(problem, problem.kind == TransformKind::r2c); }
std::size_t output_bytes(const WholeProblem& problem) { return bytes_of(problem, problem.kind == TransformKind::c2r); }

std::unique_ptr<WholeTransform> make_cufft_transform(const WholeProblem& problem) {
  check_problem(problem);
  return std::make_unique<CufftTransform>(problem);
}

std::unique_ptr<WholeApply> make_cufft_apply(const WholeProblem& forward, FactorKind factor) {
  check_problem(forward);
  require(forward.kind != TransformKind::c2r, "what is applied to a spectrum starts with a forward transform");
  return std::make_unique<CufftApply>(forward, factor);
}

}  // namespace kallima::cuda
