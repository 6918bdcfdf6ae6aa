#pragma once
// Our transforms beside cuFFT's, in one process and in turns: times, and errors against sums in long double.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

struct CufftCase {
  std::string name;  // 256^3 z2z
  WholeProblem problem;
  bool applies = false;  // forward, times complex factors, backward
};

struct CufftRow {
  std::string name;
  std::string way;     // that ours goes
  double ours_ms = 0;  // medians
  double cufft_ms = 0;
  double ratio = 0;       // cuFFT's time over ours
  double ours_error = 0;  // relative, in the 2-norm; 0: not asked for
  double cufft_error = 0;
  double difference = 0;  // of the two results, relative, in the 2-norm
};

enum class CufftErrors { leave_out, measure };

// What is published of the kernels: the shapes that they were written for, and some that are left to cuFFT.
std::vector<CufftCase> usual_cufft_cases();

// Errors are those of 16 lines of the result, along the last axis.
std::vector<CufftRow> compare_with_cufft(const std::vector<CufftCase>& cases, ChooseBy by, CufftErrors errors,
                                         int rounds = 11);

std::string text(const std::vector<CufftRow>& rows);

}  // namespace kallima::cuda
