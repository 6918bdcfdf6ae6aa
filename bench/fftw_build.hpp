#pragma once
// Which FFTW was linked, and with what vector instructions: one that was built without them is easily beaten, and
// whoever reads a comparison should know.

#include <nlohmann/json.hpp>
#include <string>

#include "kallima/types.hpp"

namespace kallima::cli {

struct FftwBuild {
  std::string version;  // 3.3.10; empty: there is no FFTW
  std::string vectors;  // sse2, avx; empty: none
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FftwBuild, version, vectors)

FftwBuild fftw_build(const std::string& words);  // such as fftw-3.3.10-sse2-avx, which is what FFTW calls itself
FftwBuild fftw_build(Precision precision);       // the one in this process, if there is one
std::string fftw_words(Precision precision);     // that of it
std::string title(const FftwBuild& build);       // FFTW 3.3.10 with sse2, avx

}  // namespace kallima::cli
