#include "bench/fftw_build.hpp"

#include <fmt/format.h>

#include <sstream>

namespace kallima::cli {

// It names itself, its version and what it was built with. Fused multiplication and addition is no vector instruction.
FftwBuild fftw_build(const std::string& words) {
  FftwBuild build;
  std::istringstream parts(words);
  std::string part;
  std::getline(parts, part, '-');
  std::getline(parts, build.version, '-');
  while (std::getline(parts, part, '-'))
    if (part != "fma") build.vectors += (build.vectors.empty() ? "" : ", ") + part;
  return build;
}

FftwBuild fftw_build(Precision precision) { return fftw_build(fftw_words(precision)); }

std::string title(const FftwBuild& build) {
  if (build.version.empty()) return "without FFTW";
  return build.vectors.empty() ? fmt::format("FFTW {} without vector instructions", build.version)
                               : fmt::format("FFTW {} with {}", build.version, build.vectors);
}

}  // namespace kallima::cli
