#include <gtest/gtest.h>

#include "bench/kernels.hpp"

namespace kallima::cli {
namespace {

KernelReport report_of(double median, double fastest) {
  const LineTimes times{.ns_per_point = median, .min_ns_per_point = fastest, .share = 0.25};
  const KernelRow row{.length = 64,
                      .lines = 256,
                      .access = "strided",
                      .memory = "in cache",
                      .roofline_ns = 0.25 * median,
                      .kallima = times,
                      .fftw = times,
                      .ratio = 1};
  return {.reps = 3, .fftw = {"3.3.10", ""}, .sets = {{.isa = "abacus", .rows = {row}}}};
}

TEST(KernelReport, what_was_not_measured_is_a_dash_and_not_drawn) {
  const KernelReport report = report_of(2, 2);
  EXPECT_NE(kernel_table(report).find("-          -       -       -\n"), std::string::npos);
  EXPECT_NE(kernel_table(report).find("FFTW 3.3.10 without vector instructions"), std::string::npos);
  EXPECT_NE(kernel_picture(report).find("strided, in cache"), std::string::npos);
  EXPECT_EQ(kernel_picture(report).find("contiguous"), std::string::npos);
}

TEST(KernelReport, a_disturbed_measurement_says_so) {
  EXPECT_EQ(kernel_table(report_of(2, 1.9)).find("something else was running"), std::string::npos);
  EXPECT_NE(kernel_table(report_of(2, 1)).find("2 of 2 medians are more than 20 % above"), std::string::npos);
}

TEST(KernelReport, a_set_survives_its_way_from_process_to_process) {
  const KernelReport report = report_of(2, 1);
  const KernelSet set = kernel_set_from(nlohmann::json::parse(kernel_json(report)));
  EXPECT_EQ(kernel_json({.reps = 3, .fftw = report.fftw, .sets = {set}}), kernel_json(report));
}

}  // namespace
}  // namespace kallima::cli
