// The processor's backends: one for each precision of complex numbers. What they make of a Pass depends on what it does
// and to what. A Kernel of each kind has decided everything beforehand, and running it only loops.

#include <algorithm>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "kernel/apply_pass.hpp"
#include "kernel/chirp_pass.hpp"
#include "kernel/complex_pass.hpp"
#include "kernel/cosine_pass.hpp"
#include "kernel/product_pass.hpp"
#include "kernel/real_pass.hpp"
#include "kernel/wire_codec.hpp"

namespace kallima {
namespace {

constexpr std::size_t part_reals = 128 * static_cast<std::size_t>(wire_block);  // a few microseconds of work

// A compiled Action::encode or Action::decode, done in parts, with a look at the messages after each.
template <class T>
class WirePass final : public Kernel {
 public:
  WirePass(const Pass& pass, std::size_t depth) : pass_(pass), depth_(depth) {
    const bool encodes = pass.action == Action::encode;
    const Piece& plain = (encodes ? pass.sources : pass.targets)[0];
    const Piece& encoded = (encodes ? pass.targets : pass.sources)[0];
    reals_ = static_cast<std::size_t>(pass.length * kernel::unit(plain));
    const std::size_t room = static_cast<std::size_t>(encoded.count) * sizeof(T);
    require(encoded_bytes(pass.wire, reals_) <= room, "{} reals do not fit {} bytes in this wire format (they take {})",
            reals_, room, encoded_bytes(pass.wire, reals_));
  }

  Ticket start(const KernelCall& call) const override {
    const auto first = [&](const Piece& piece) { return kernel::first_real(piece, call.at.first(depth_)); };
    const Piece& source = pass_.sources[0];
    const Piece& target = pass_.targets[0];
    const T* const from = reinterpret_cast<const T*>(call.source(source)) + first(source);
    T* const to = reinterpret_cast<T*>(call.operands.buffers[at(target.buffer)]) + first(target);
    kernel::WireErrors errors;
    for (std::size_t begin = 0; begin < reals_; begin += part_reals) {
      const std::size_t count = std::min(part_reals, reals_ - begin), byte = encoded_bytes(pass_.wire, begin);
      if (pass_.action == Action::encode)
        kernel::encode(pass_.wire, std::span(from + begin, count), reinterpret_cast<std::byte*>(to) + byte, errors);
      else
        kernel::decode(pass_.wire, reinterpret_cast<const std::byte*>(from) + byte, std::span(to + begin, count));
      call.progress();
    }
    if (call.operands.errors != nullptr) call.operands.errors->add(errors);
    return 0;
  }

 private:
  Pass pass_;
  std::size_t depth_;
  std::size_t reals_;
};

bool is_of_cosines(const Pass& pass) { return pass.action == Action::transform && pass.kind >= Kind::dct1; }

bool has_reals(const Pass& pass) {
  if (pass.action == Action::sum) return false;
  return (pass.action == Action::transform && pass.kind != Kind::fourier) || pass.sources.front().real;
}

template <class T>
class CpuBackend final : public Backend {
 public:
  CpuBackend(std::string name, kernel::LineMaker<T> maker)
      : element_{std::move(name), sizeof(std::complex<T>), alignof(std::complex<T>)}, maker_(maker) {}

  const Element& element() const override { return element_; }

  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort effort) const override {
    if (pass.action == Action::apply) return std::make_unique<kernel::ApplyPass>(pass, depth, element_);
    if (pass.action == Action::fill) return std::make_unique<kernel::FillPass<T>>(pass, depth, direction);
    if (pass.action == Action::multiply) return std::make_unique<kernel::MultiplyPass<T>>(pass, depth);
    if (pass.action == Action::chirp) return std::make_unique<kernel::ChirpPass<T>>(pass, depth, direction);
    if (pass.action == Action::encode || pass.action == Action::decode)
      return std::make_unique<WirePass<T>>(pass, depth);
    if (is_of_cosines(pass)) return std::make_unique<kernel::CosinePass<T>>(pass, depth, direction, maker_, effort);
    if (has_reals(pass)) return std::make_unique<kernel::RealPass<T>>(pass, depth, direction, maker_, effort);
    return std::make_unique<kernel::ComplexPass<T>>(pass, depth, direction, maker_, effort);
  }

 private:
  Element element_;
  kernel::LineMaker<T> maker_;
};

template <class T>
std::shared_ptr<const Backend> backend_of(const char* element, kernel::LineMaker<T> maker) {
  return std::make_shared<CpuBackend<T>>(element, maker);
}

}  // namespace

std::shared_ptr<std::byte> Backend::allocate(std::size_t bytes) const {
  const auto array = std::make_shared<Array<std::byte>>(static_cast<Index>(bytes));
  return {array, array->data()};
}

void Backend::copy(std::byte* to, const std::byte* from, std::size_t bytes) const { std::copy_n(from, bytes, to); }

// Of each precision, in the order in which these are numbered.
#define KALLIMA_BACKENDS(lines)                                                    \
  {                                                                                \
    backend_of<float>("complex float", kernel::lines<float>),                      \
        backend_of<double>("complex double", kernel::lines<double>),               \
        backend_of<long double>("complex long double", kernel::lines<long double>) \
  }

std::shared_ptr<const Backend> cpu_backend(Precision precision) {
  static const std::shared_ptr<const Backend> all[] = KALLIMA_BACKENDS(our_lines);
  return all[at(precision)];
}

#if KALLIMA_HAVE_FFTW
bool has_fftw() { return true; }

std::shared_ptr<const Backend> fftw_backend(Precision precision) {
  static const std::shared_ptr<const Backend> all[] = KALLIMA_BACKENDS(fftw_lines);
  return all[at(precision)];
}
#else
bool has_fftw() { return false; }

std::shared_ptr<const Backend> fftw_backend(Precision) {
  fail("this library was built without FFTW (KALLIMA_FFTW=OFF); cpu_backend() is its own arithmetic");
}
#endif

}  // namespace kallima
