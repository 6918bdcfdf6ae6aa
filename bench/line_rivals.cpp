// An array of two dimensions of which one is transformed. Both rivals were given all the time they want to plan.

#include "bench/line_rivals.hpp"

#include <cmath>

#include "app/check.hpp"
#include "bench/separable.hpp"
#include "kallima/backend.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

Problem problem_of(const LineBatch& b) {
  const bool strided = b.access == Access::strided;
  return {.shape = strided ? Shape{b.length, b.lines} : Shape{b.lines, b.length},
          .axes = {strided ? 0 : 1},
          .precision = b.precision};
}

LineSteps steps_of(const LineBatch& b) {
  return b.access == Access::strided ? LineSteps{b.lines, 1} : LineSteps{1, b.length};
}

template <class T>
class LineArrays {
 public:
  explicit LineArrays(const LineBatch& batch)
      : layout_(Layout::blocks(problem_of(batch).shape, Shape{1, 1}, 1)),
        signal_(problem_of(batch)),
        in_(batch.length * batch.lines),
        out_(batch.length * batch.lines) {}

  void fill() const { signal_.template fill<T>(layout_, 0, Data::complex_, reals(in_)); }
  double error() const {
    const ErrorSums sums = signal_.template spectrum_error<T>(layout_, 0, Data::complex_, reals(out_));
    return std::sqrt(sums.difference / sums.expected);
  }
  std::complex<T>* in() const { return in_.data(); }
  std::complex<T>* out() const { return out_.data(); }

 private:
  static std::span<T> reals(const Array<std::complex<T>>& array) {
    return {reinterpret_cast<T*>(array.data()), 2 * array.span().size()};
  }

  Layout layout_;
  Separable signal_;
  Array<std::complex<T>> in_, out_;
};

// What both have in common: whose turn it is does not matter to the arrays.
template <class T>
class LineRival : public Rival {
 public:
  explicit LineRival(std::shared_ptr<const LineArrays<T>> arrays) : arrays_(std::move(arrays)) {}
  void fill() override { arrays_->fill(); }
  double error() override { return arrays_->error(); }

 protected:
  const LineArrays<T>& arrays() const { return *arrays_; }

 private:
  std::shared_ptr<const LineArrays<T>> arrays_;
};

template <class T>
class KernelLines : public LineRival<T> {
 public:
  KernelLines(const LineBatch& batch, std::shared_ptr<const LineArrays<T>> arrays)
      : LineRival<T>(std::move(arrays)), backend_(cpu_backend(batch.precision)) {
    const auto [along, across] = steps_of(batch);
    const Piece piece{.count = batch.length, .stride = along, .strides = {across}};
    Pass pass{.length = batch.length, .sources = {piece}, .targets = {piece}, .loops = {batch.lines}};
    pass.targets[0].buffer = Buffer::out;
    kernel_ = backend_->compile(pass, 0, Direction::forward, Effort::measure);
    tile_ = backend_->allocate(kernel_->tile_bytes());
    operands_.buffers = {reinterpret_cast<std::byte*>(this->arrays().in()),
                         reinterpret_cast<std::byte*>(this->arrays().out()), nullptr, nullptr};
  }

  std::string name() const override { return "kallima"; }
  std::string title() const override { return "kallima, " + instruction_set(); }
  void run() override {
    const Ticket ticket = kernel_->start({operands_, {}, 1, {tile_.get(), kernel_->tile_bytes()}, progress_});
    require(backend_->done(ticket), "a kernel was not done when it returned (of {} it should be) please report this",
            backend_->element().name);
  }

 private:
  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<const Kernel> kernel_;
  std::shared_ptr<std::byte> tile_;
  Operands operands_;
  kallima::Progress progress_ = [] {};
};

template <class T>
class FftwLines : public LineRival<T> {
 public:
  FftwLines(const LineBatch& batch, std::shared_ptr<const LineArrays<T>> arrays)
      : LineRival<T>(std::move(arrays)),
        run_(plan_fftw_lines(batch, steps_of(batch), this->arrays().in(), this->arrays().out())) {}

  std::string name() const override { return "fftw"; }
  std::string title() const override { return "FFTW"; }
  void run() override { run_(); }

 private:
  std::function<void()> run_;
};

template <class T>
std::vector<std::unique_ptr<Rival>> rivals_on(const LineBatch& batch) {
  const auto arrays = std::make_shared<const LineArrays<T>>(batch);
  std::vector<std::unique_ptr<Rival>> rivals;
  rivals.push_back(std::make_unique<KernelLines<T>>(batch, arrays));
  if (has_fftw()) rivals.push_back(std::make_unique<FftwLines<T>>(batch, arrays));
  return rivals;
}

}  // namespace

std::vector<std::unique_ptr<Rival>> make_line_rivals(const LineBatch& batch) {
  return batch.precision == Precision::single_ ? rivals_on<float>(batch) : rivals_on<double>(batch);
}

}  // namespace kallima::cli
