#include "bench/kinds.hpp"

#include <algorithm>

#include "app/check.hpp"
#include "bench/collect.hpp"
#include "bench/mirror.hpp"
#include "bench/separable.hpp"

namespace kallima::cli {
namespace {

Index reals_of(Index count, Data data) { return data == Data::real_ ? count : 2 * count; }

template <class T>
class AnyKind : public Rival {
 public:
  AnyKind(const Problem& problem, const Comm& comm, const FftOptions& options, std::string title)
      : signal_(problem), comm_(comm), fft_(problem, comm, options), title_(std::move(title)) {
    together(comm.transport(), [&] {
      in_ = Mirror<T>(reals_of(fft_.local_size_in(), data_in()), options.backend);
      out_ = Mirror<T>(reals_of(fft_.local_size_out(), data_out()), options.backend);
    });
  }

  std::string name() const override { return title_; }
  std::string title() const override { return title_; }
  void fill() override {
    signal_.fill<T>(fft_.layout_in(), comm_.rank(), data_in(), in_.host());
    in_.upload();
  }
  double error() override {
    out_.download();
    return relative_error(comm_.transport(), signal_.spectrum_error<T>(fft_.layout_out(), comm_.rank(), data_out(),
                                                                       std::span<const T>(out_.host())));
  }
  void run() override {
    const std::span<const T> in = in_.span();
    if (data_in() == Data::complex_) return fft_.forward(complex(in), complex(out_.span()));
    if (data_out() == Data::complex_) return fft_.forward(in, complex(out_.span()));
    fft_.forward(in, out_.span());
  }

  Trace recorded() {  // collective
    Trace mine;
    fft_.record(&mine);
    comm_.transport().barrier();
    run();
    fft_.record(nullptr);
    return gather(comm_, mine);
  }

  KindEntry entry() const {
    const Plan& plan = fft_.plan();
    const auto most = [&](auto mine) {
      return static_cast<Index>(largest(comm_.transport(), static_cast<double>(mine)));
    };
    const std::size_t in = in_.bytes(), out = out_.bytes();
    return {.words_sent_per_rank = most(plan.traffic(comm_.rank(), Direction::forward).words),
            .data_bytes_per_rank = most(std::max(in, out)),
            .peak_bytes_per_rank = most(in + out + fft_.workspace_bytes()),
            .program = fft_.program_size(),
            .exchanges = plan.exchanges(),
            .route = plan.options().route,
            .explanation = plan.explanation()};
  }

 private:
  Data data_in() const { return fft_.plan().data_in(); }
  Data data_out() const { return fft_.plan().data_out(); }
  static std::span<std::complex<T>> complex(std::span<T> reals) {
    return {reinterpret_cast<std::complex<T>*>(reals.data()), reals.size() / 2};
  }
  static std::span<const std::complex<T>> complex(std::span<const T> reals) {
    return {reinterpret_cast<const std::complex<T>*>(reals.data()), reals.size() / 2};
  }

  Separable signal_;
  const Comm& comm_;
  Fft<T> fft_;
  std::string title_;
  Mirror<T> in_, out_;
};

// The same shape, axes and layouts; where half a spectrum was asked for somewhere, all of it goes where the input was.
Problem complex_problem(const Problem& problem) {
  Problem full = checked(problem);
  if (halved_axis(full) >= 0) full.out = {};
  full.data = Data::complex_;
  full.kinds.assign(full.axes.size(), Kind::fourier);
  return full;
}

template <class T>
KindResult measure_as(const KindSpec& spec, const Comm& comm) {
  std::optional<AnyKind<T>> complex;
  AnyKind<T> ours(spec.problem, comm, spec.options, "Kallima");
  std::vector<Rival*> all{&ours};
  if (spec.against_complex)
    all.push_back(&complex.emplace(complex_problem(spec.problem), comm, spec.options, "Kallima, complex to complex"));
  std::unique_ptr<Rival> fftw;
  together(comm.transport(), [&] {
    if (spec.against_fftw && comm.rank() == 0) fftw = make_fftw_kind(spec.problem, spec.options.effort, comm.size());
    if (spec.against_cufft && comm.rank() == 0) fftw = make_cufft(spec.problem, spec.options);
  });
  if (fftw) all.push_back(fftw.get());
  Race race(all, comm.transport(), Placement::out_of_place);
  race.check_and_warm_up();
  for (int rep = 0; rep < spec.reps; ++rep) race.run_each();
  KindResult result{.kallima = ours.entry(), .ranks = comm.size(), .transport = comm.transport().name()};
  result.kallima.runs = race.runs()[0];
  if (complex) {
    result.complex = complex->entry();
    result.complex->runs = race.runs()[1];
  }
  if (spec.against_fftw || spec.against_cufft) result.fftw = race.runs().back();
  if (spec.traced) result.trace = ours.recorded();
  result.flops = flop_count(spec.problem);
  result.bound = error_bound(transformed_count(spec.problem), spec.problem.precision);
  return result;
}

}  // namespace

KindResult measure_kind(const KindSpec& spec, const Comm& comm) {
  return spec.problem.precision == Precision::single_ ? measure_as<float>(spec, comm) : measure_as<double>(spec, comm);
}

}  // namespace kallima::cli
