// Which instruction set's codelets are used: the best of those compiled that the processor and the operating system
// have, or what the environment's KALLIMA_ISA names.

#include <fmt/ranges.h>

#include <cstdlib>

#include "base/check.hpp"
#include "kallima/backend.hpp"
#include "kernel/cpu/codelets.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace kallima::kernel {

#define X(isa)       \
  namespace isa {    \
  template <class T> \
  Codelets<T> all(); \
  }
KALLIMA_INSTRUCTION_SETS
#undef X

namespace {

#if defined(__x86_64__)
bool has(const std::string& isa) {
  if (isa == "avx512") return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (isa == "avx2") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}
#elif defined(__aarch64__) && defined(__linux__)
bool has(const std::string& isa) {
  const unsigned long flags = getauxval(AT_HWCAP);
  if (isa == "fcma") return (flags & HWCAP_FCMA) != 0;
  return true;
}
#else
bool has(const std::string&) { return true; }
#endif

// From the plainest to the best.
const std::vector<std::string>& compiled() {
#define X(isa) #isa,
  static const std::vector<std::string> names = {KALLIMA_INSTRUCTION_SETS};
#undef X
  return names;
}

template <class T>
Codelets<T> codelets_for(const std::string& name) {
#define X(isa) \
  if (name == #isa) return isa::all<T>();
  KALLIMA_INSTRUCTION_SETS
#undef X
  fail("no codelets were compiled for {} (only for {})", name, fmt::join(compiled(), ", "));
}

}  // namespace
}  // namespace kallima::kernel

namespace kallima {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
  for (const std::string& name : kernel::compiled())
    if (kernel::has(name)) found.push_back(name);
  return found;
}

const std::string& instruction_set() {
  static const std::string chosen = [] {
    const std::vector<std::string> found = instruction_sets();
    const char* const set = std::getenv("KALLIMA_ISA");
    const std::string wish = set == nullptr ? "" : set;
    if (wish.empty()) return found.back();
    for (const std::string& name : found)
      if (name == wish) return name;
    fail("KALLIMA_ISA is '{}', which this build or processor does not have: choose one of {}", wish,
         fmt::join(found, ", "));
  }();
  return chosen;
}

}  // namespace kallima

namespace kallima::kernel {

template <class T>
const Codelets<T>& codelets() {
  static const Codelets<T> all = codelets_for<T>(instruction_set());
  return all;
}

// A long double is no vector's: the plainest will do.
template <>
const Codelets<long double>& codelets() {
  static const Codelets<long double> all = KALLIMA_PLAINEST_SET::all<long double>();
  return all;
}

template const Codelets<float>& codelets();
template const Codelets<double>& codelets();

}  // namespace kallima::kernel
