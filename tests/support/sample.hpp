#pragma once
// Tests that go through every combination of options take one in a few of them, unless KALLIMA_TEST_ALL asks for all
// (./kallima test --all). Where options have two or four values, one in three or five meets every pair of them.

#include <cstdlib>

namespace kallima {

class Sample {
 public:
  explicit Sample(int one_in, int first = 0)
      : one_in_(std::getenv("KALLIMA_TEST_ALL") == nullptr ? one_in : 1), next_(first) {}

  bool takes() { return next_++ % one_in_ == 0; }
  int one_in() const { return one_in_; }

 private:
  int one_in_;
  int next_;
};

}  // namespace kallima
