// FFTW's own MPI transforms: output in the order and layout of the input (default), with the first two dimensions
// exchanged (transposed, two or more dimensions) or in an order that only FFTW's inverse knows (scrambled, one
// dimension). The latter two save FFTW an exchange.

#include <fftw3-mpi.h>

#include <array>

#include "bench/analytic.hpp"
#include "bench/collect.hpp"
#include "bench/fftw_names.hpp"
#include "bench/rival.hpp"

namespace kallima::cli {

namespace {

template <class T>
struct FftwMpi;

template <>
struct FftwMpi<double> {
  static constexpr auto init = fftw_mpi_init;
  static constexpr auto size_nd = fftw_mpi_local_size_transposed;
  static constexpr auto size_1d = fftw_mpi_local_size_1d;
  static constexpr auto plan_dft = fftw_mpi_plan_dft;
};

template <>
struct FftwMpi<float> {
  static constexpr auto init = fftwf_mpi_init;
  static constexpr auto size_nd = fftwf_mpi_local_size_transposed;
  static constexpr auto size_1d = fftwf_mpi_local_size_1d;
  static constexpr auto plan_dft = fftwf_mpi_plan_dft;
};

enum class Variant { as_given, transposed, scrambled };

// Elements to allocate, and the blocks of rows that this rank holds before and after.
struct Part {
  Index alloc = 0;
  std::ptrdiff_t in_count = 0, in_first = 0, out_count = 0, out_first = 0;
};

unsigned flag_of(Variant variant) {
  return variant == Variant::transposed  ? FFTW_MPI_TRANSPOSED_OUT
         : variant == Variant::scrambled ? FFTW_MPI_SCRAMBLED_OUT
                                         : 0u;
}

template <class T>
Part part_of(const Shape& shape, Variant variant) {
  const std::vector<std::ptrdiff_t> n(shape.begin(), shape.end());
  Part p;
  if (shape.size() == 1)
    p.alloc = FftwMpi<T>::size_1d(n[0], MPI_COMM_WORLD, FFTW_FORWARD, flag_of(variant), &p.in_count, &p.in_first,
                                  &p.out_count, &p.out_first);
  else
    p.alloc = FftwMpi<T>::size_nd(static_cast<int>(n.size()), n.data(), MPI_COMM_WORLD, &p.in_count, &p.in_first,
                                  &p.out_count, &p.out_first);
  if (variant == Variant::as_given && shape.size() > 1) {
    p.out_count = p.in_count;
    p.out_first = p.in_first;
  }
  return p;
}

template <class T>
class FftwMpiRival : public Rival {
 public:
  FftwMpiRival(const RivalSpec& spec, Variant variant, const Comm& comm)
      : variant_(variant),
        comm_(comm),
        part_(part_of<T>(spec.shape, variant)),
        in_(std::max<Index>(1, part_.alloc)),
        out_(spec.placement == Placement::in_place ? 0 : std::max<Index>(1, part_.alloc)),
        plan_(make_plan(spec)) {
    const bool transposed = variant == Variant::transposed;
    axes_in_.push_back(block_axis(spec.shape, 0, part_.in_first, part_.in_count));
    axes_out_.push_back(block_axis(spec.shape, transposed ? 1 : 0, part_.out_first, part_.out_count));
    if (transposed) axes_out_.push_back(block_axis(spec.shape, 0, 0, spec.shape[0]));
    for (std::size_t d = 1; d < spec.shape.size(); ++d) {
      axes_in_.push_back(block_axis(spec.shape, d, 0, spec.shape[d]));
      if (!transposed || d > 1) axes_out_.push_back(axes_in_.back());
    }
  }

  bool exists() const { return static_cast<bool>(plan_); }
  std::string name() const override {
    return variant_ == Variant::transposed ? "transposed" : variant_ == Variant::scrambled ? "scrambled" : "default";
  }
  std::string title() const override { return fmt::format("FFTW-MPI, {} output", name()); }
  void fill() override { fill_signal<T>(axes_in_, in_.span(size_of(axes_in_))); }
  void run() override { plan_.execute(); }

  // In scrambled order only the energy is known; it has no such accuracy, but a wrong transform would not keep it.
  double error() override {
    const std::span<const std::complex<T>> part = result().span(size_of(axes_out_));
    if (variant_ != Variant::scrambled) return relative_error(comm_.transport(), spectrum_error<T>(axes_out_, part));
    double energy = 0;
    for (const std::complex<T>& value : part) energy += std::norm(std::complex<double>(value));
    const double expected = spectrum_error<T>(axes_out_, part).expected;
    return std::abs(total(comm_.transport(), energy) / total(comm_.transport(), expected) - 1);
  }

 private:
  static Index size_of(const std::vector<Axis>& axes) {
    Index size = 1;
    for (const Axis& axis : axes) size *= axis.owned.count;
    return size;
  }

  const FftwArray<T>& result() const { return out_.get() ? out_ : in_; }

  FftwPlan<T> make_plan(const RivalSpec& spec) const {
    const std::vector<std::ptrdiff_t> n(spec.shape.begin(), spec.shape.end());
    return FftwPlan<T>(FftwMpi<T>::plan_dft(static_cast<int>(n.size()), n.data(), in_.get(), result().get(),
                                            MPI_COMM_WORLD, FFTW_FORWARD, fftw_flag(spec.effort) | flag_of(variant_)));
  }

  Variant variant_;
  Comm comm_;
  Part part_;
  FftwArray<T> in_;
  FftwArray<T> out_;
  FftwPlan<T> plan_;
  std::vector<Axis> axes_in_;
  std::vector<Axis> axes_out_;
};

template <class T>
std::vector<std::unique_ptr<Rival>> make_all(const RivalSpec& spec, const Comm& comm) {
  FftwMpi<T>::init();
  std::vector<std::unique_ptr<Rival>> rivals;
  for (const Variant variant : {Variant::as_given, spec.shape.size() == 1 ? Variant::scrambled : Variant::transposed}) {
    auto rival = std::make_unique<FftwMpiRival<T>>(spec, variant, comm);
    if (rival->exists()) rivals.push_back(std::move(rival));
  }
  return rivals;
}

}  // namespace

bool have_fftw_mpi() { return true; }

std::vector<std::unique_ptr<Rival>> make_fftw_mpi(const RivalSpec& spec, const Comm& comm) {
  return spec.precision == Precision::single_ ? make_all<float>(spec, comm) : make_all<double>(spec, comm);
}

}  // namespace kallima::cli
