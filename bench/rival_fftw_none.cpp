// Stands in for FFTW where it was not found or not wanted (KALLIMA_FFTW=OFF).

#include "app/check.hpp"
#include "bench/accuracy.hpp"
#include "bench/fftw_build.hpp"
#include "bench/kinds.hpp"
#include "bench/line_rivals.hpp"

namespace kallima::cli {
namespace {

[[noreturn]] void refuse() {
  fail("FFTW is not in this build (KALLIMA_FFTW is OFF, or 0 of its libraries were found) leave --against fftw out");
}

}  // namespace

std::string fftw_words(Precision) { return ""; }
std::unique_ptr<Rival> make_fftw_threads(const RivalSpec&, int) { refuse(); }
std::unique_ptr<Rival> make_fftw_kind(const Problem&, Effort, int) { refuse(); }
std::function<void()> plan_fftw_lines(const LineBatch&, const LineSteps&, void*, void*) { refuse(); }
template <class T>
LineTransform<T> plan_fftw_line(const Problem&, Direction, Effort) {
  refuse();
}
template LineTransform<double> plan_fftw_line(const Problem&, Direction, Effort);
template LineTransform<float> plan_fftw_line(const Problem&, Direction, Effort);

}  // namespace kallima::cli
