// The processor's backends: one for each precision of complex numbers.

#include "base/check.hpp"
#include "kallima/backend.hpp"
#include "kallima/memory.hpp"
#include "kernel/apply_pass.hpp"
#include "kernel/pass.hpp"
#include "kernel/real_pass.hpp"
#include "kernel/wire_pass.hpp"

namespace kallima {
namespace {

template <class T>
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::string name)
      : element_{std::move(name), sizeof(std::complex<T>), alignof(std::complex<T>)} {}

  const Element& element() const override { return element_; }

  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort effort) const override {
    if (pass.action == Action::apply) return std::make_unique<kernel::ApplyPass>(pass, depth, element_);
    if (pass.action == Action::encode || pass.action == Action::decode)
      return std::make_unique<kernel::WirePass<T>>(pass, depth);
    if (kernel::RealPass<T>::takes(pass)) return std::make_unique<kernel::RealPass<T>>(pass, depth, direction, effort);
    return std::make_unique<kernel::CompiledPass<T>>(pass, depth, direction, effort);
  }

 private:
  Element element_;
};

template <class T>
std::shared_ptr<const Backend> the_backend(const char* name) {
  static const auto backend = std::make_shared<const CpuBackend<T>>(name);
  return backend;
}

}  // namespace

std::shared_ptr<std::byte> Backend::allocate(std::size_t bytes) const {
  const auto array = std::make_shared<Array<std::byte>>(static_cast<Index>(bytes));
  return {array, array->data()};
}

std::shared_ptr<const Backend> cpu_backend(Precision precision) {
  if (precision == Precision::single_) return the_backend<float>("complex float");
  if (precision == Precision::double_) return the_backend<double>("complex double");
  return the_backend<long double>("complex long double");
}

}  // namespace kallima
