#include "cuda/whole/compare_with_cufft.hpp"

#include "cuda/cuda_check.cuh"
#include "cuda/whole/cufft_transform.hpp"
#include "cuda/whole/line_errors.hpp"
#include "cuda/whole/measured_way.hpp"
#include "cuda/whole/pointwise.hpp"

namespace kallima::cuda {
namespace {

constexpr double round_ms = 60;  // long enough that clocks settle as they do under a lasting load
constexpr int error_lines = 16;

template <class Number>
std::vector<Number> on_host(const void* device, std::size_t bytes) {
  std::vector<Number> values(bytes / sizeof(Number));
  check(cudaMemcpy(values.data(), device, bytes, cudaMemcpyDeviceToHost), "copying a result");
  return values;
}

struct Results {
  const void *in, *ours, *cufft;
};

template <class Real>
void add_errors(CufftRow& row, const CufftCase& which, const Results& results) {
  const auto bytes = output_bytes(which.problem);
  const auto in = on_host<Real>(results.in, input_bytes(which.problem));
  using Complex = std::complex<Real>;
  const auto errors = line_errors<Real>(
      which.problem, in, {on_host<Complex>(results.ours, bytes), on_host<Complex>(results.cufft, bytes)}, error_lines);
  row.ours_error = errors[0], row.cufft_error = errors[1];
}

// Lines of all axes' transforms, of arrays that are quickly copied to the host and summed.
bool has_sums(const CufftCase& which) {
  constexpr std::size_t most_bytes = std::size_t{4} << 30;
  const auto& problem = which.problem;
  return !which.applies && problem.kind != TransformKind::c2r && problem.batch == 1 && problem.axes.empty() &&
         input_bytes(problem) <= most_bytes;
}

CufftRow compared(const CufftCase& which, ChooseBy by, bool against_sums, int rounds) {
  const auto& problem = which.problem;
  CufftRow row{.name = which.name, .way = {}};
  const auto bytes = which.applies ? input_bytes(problem) : output_bytes(problem);
  const auto in = scratch_input(problem, 1);
  const auto factors = which.applies ? scratch_noise(output_bytes(problem), problem.precision, 2) : nullptr;
  const auto ours_out = scratch_memory(bytes), cufft_out = scratch_memory(bytes);
  const auto measure = [&](const auto& ours, const auto& cufft, const auto& start) {
    const auto work = scratch_memory(std::max(ours->workspace_bytes(), cufft->workspace_bytes()));
    const auto times = timed_in_turns(
        {[&] { start(*ours, ours_out.get(), work.get()); }, [&] { start(*cufft, cufft_out.get(), work.get()); }},
        rounds, round_ms);
    row.way = ours->name();
    row.ours_ms = times[0], row.cufft_ms = times[1], row.ratio = times[1] / times[0];
  };
  if (which.applies)
    measure(
        make_whole_apply(problem, FactorKind::complex_array, by), make_cufft_apply(problem, FactorKind::complex_array),
        [&](const WholeApply& way, void* out, void* work) { way.start(in.get(), out, factors.get(), work, nullptr); });
  else
    measure(make_whole_transform(problem, by), make_cufft_transform(problem),
            [&](const WholeTransform& way, void* out, void* work) { way.start(in.get(), out, work, nullptr); });
  const Results results{in.get(), ours_out.get(), cufft_out.get()};
  const bool wide = problem.precision == Precision::double_;
  row.difference =
      relative_difference(results.ours, results.cufft, static_cast<Index>(bytes / (wide ? 8 : 4)), problem.precision);
  if (!against_sums || !has_sums(which)) return row;
  if (wide)
    add_errors<double>(row, which, results);
  else
    add_errors<float>(row, which, results);
  return row;
}

}  // namespace

std::vector<CufftCase> usual_cufft_cases() {
  const auto single = Precision::single_;
  const auto scaled = [](WholeProblem problem) {
    for (const Index n : problem.shape) problem.scale /= static_cast<double>(n);
    return problem;
  };
  return {
      {"256^3 z2z", {.shape = {256, 256, 256}}},
      {"256^3 c2c", {.shape = {256, 256, 256}, .precision = single}},
      {"512^3 z2z", {.shape = {512, 512, 512}}},
      {"512^3 c2c", {.shape = {512, 512, 512}, .precision = single}},
      {"1024^3 z2z", {.shape = {1024, 1024, 1024}}},
      {"256^3 d2z", {.shape = {256, 256, 256}, .kind = TransformKind::r2c}},
      {"256^3 r2c", {.shape = {256, 256, 256}, .kind = TransformKind::r2c, .precision = single}},
      {"256^3 z2d", {.shape = {256, 256, 256}, .kind = TransformKind::c2r, .sign = 1}},
      {"256^3 c2r", {.shape = {256, 256, 256}, .kind = TransformKind::c2r, .precision = single, .sign = 1}},
      {"2^24 z2z", {.shape = {1 << 24}}},
      {"2^27 z2z", {.shape = {1 << 27}}},
      {"8192^2 z2z", {.shape = {8192, 8192}}},
      {"100000 lines of 256 z2z", {.shape = {256}, .batch = 100000}},
      {"384^3 z2z", {.shape = {384, 384, 384}}},
      {"240x250x243 z2z", {.shape = {240, 250, 243}}},
      {"100^3 z2z", {.shape = {100, 100, 100}}},
      {"256^3 z2z apply", scaled({.shape = {256, 256, 256}}), true},
      {"256^3 c2c apply", scaled({.shape = {256, 256, 256}, .precision = single}), true},
      {"512^3 z2z apply", scaled({.shape = {512, 512, 512}}), true},
      {"512^3 c2c apply", scaled({.shape = {512, 512, 512}, .precision = single}), true},
  };
}

std::vector<CufftRow> compare_with_cufft(const std::vector<CufftCase>& cases, ChooseBy by, CufftErrors errors,
                                         int rounds) {
  std::vector<CufftRow> rows;
  for (const auto& which : cases) rows.push_back(compared(which, by, errors == CufftErrors::measure, rounds));
  return rows;
}

std::string text(const std::vector<CufftRow>& rows) {
  std::string lines = fmt::format("{:<26}{:>11}{:>11}{:>8}{:>11}{:>11}{:>11}  {}\n", "transform", "ours ms", "cuFFT ms",
                                  "ratio", "error", "cuFFT's", "difference", "way");
  for (const auto& row : rows)
    lines += fmt::format("{:<26}{:>11.4f}{:>11.4f}{:>8.3f}{:>11.2e}{:>11.2e}{:>11.2e}  {}\n", row.name, row.ours_ms,
                         row.cufft_ms, row.ratio, row.ours_error, row.cufft_error, row.difference, row.way);
  return lines;
}

}  // namespace kallima::cuda
