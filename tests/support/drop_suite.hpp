#pragma once
// Freeing an Fft is nobody else's affair: ranks drop theirs in different orders, between and during what others do.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "kallima/fft.hpp"

namespace kallima {

// Mappings of this process: every window is one on each rank.
inline int mappings() {
  std::ifstream maps("/proc/self/maps");
  int lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

// Plans several transforms, and drops one of them on each rank before, and one after, a run of the last.
inline void drop_in_different_orders(const Comm& comm) {
  std::vector<std::unique_ptr<Fft<double>>> ffts;
  for (Index i = 0; i < 4; ++i)
    ffts.push_back(std::make_unique<Fft<double>>(Problem{.shape = {16, 6 + i}}, comm,
                                                 FftOptions{.plan = {}, .effort = Effort::estimate}));
  std::vector<std::complex<double>> in(static_cast<std::size_t>(ffts[3]->local_size_in()), 1.0), out(in.size());
  const auto drop = [&](int turn) { ffts[static_cast<std::size_t>((comm.rank() + turn) % 3)].reset(); };
  drop(0);
  ffts[3]->forward(in, out);
  drop(1);
  ffts[3]->backward(out, in, Norm::full);
  for (const std::complex<double>& value : in) EXPECT_NEAR(std::abs(value - 1.0), 0, 1e-14);
  if (comm.rank() % 2 == 0) ffts[3].reset();
  drop(2);
}

// However many plans come and go, no more is held than by a few of them.
inline void dropped_plans_leave_nothing(const Comm& comm) {
  for (int i = 0; i < 3; ++i) drop_in_different_orders(comm);
  const int before = mappings();
  for (int i = 0; i < 12; ++i) drop_in_different_orders(comm);  // 48 plans
  EXPECT_LT(mappings(), before + 12);
}

}  // namespace kallima
