// The residue codelets of the instruction set that the other kernels use, too.

#include "kallima/backend.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima::kernel {

#define X(isa)                \
  namespace isa {             \
  ResidueCodelets residues(); \
  }
KALLIMA_INSTRUCTION_SETS
#undef X

const ResidueCodelets& residue_codelets() {
  static const ResidueCodelets chosen = [] {
#define X(isa) \
  if (instruction_set() == #isa) return isa::residues();
    KALLIMA_INSTRUCTION_SETS
#undef X
    fail("no residue codelets were compiled for {}", instruction_set());
  }();
  return chosen;
}

}  // namespace kallima::kernel
