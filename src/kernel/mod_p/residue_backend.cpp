// The backend of residues modulo one prime.

#include "kallima/modular.hpp"
#include "kernel/apply_pass.hpp"
#include "kernel/mod_p/residue_pass.hpp"

namespace kallima {
namespace {

class ModularBackend final : public Backend {
 public:
  explicit ModularBackend(std::uint64_t p)
      : field_(p), element_{fmt::format("integer modulo {}", p), sizeof(double), alignof(double)} {}

  const Element& element() const override { return element_; }

  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort) const override {
    if (pass.action == Action::apply) return std::make_unique<kernel::ApplyPass>(pass, depth, element_);
    return std::make_unique<kernel::ResiduePass>(field_, pass, depth, direction);
  }

 private:
  kernel::PrimeField field_;
  Element element_;
};

}  // namespace

std::shared_ptr<const Backend> modular_backend(std::uint64_t p) { return std::make_shared<ModularBackend>(p); }

double residue(std::uint64_t number, std::uint64_t p) {
  const std::uint64_t r = number % p;
  return r > p / 2 ? -static_cast<double>(p - r) : static_cast<double>(r);
}

std::uint64_t number_of(double residue, std::uint64_t p) {
  const auto whole = static_cast<std::int64_t>(residue), modulus = static_cast<std::int64_t>(p);
  const std::int64_t r = whole % modulus;
  return static_cast<std::uint64_t>(r < 0 ? r + modulus : r);
}

}  // namespace kallima
