#include "checkpoint_suite.hpp"

namespace kallima {
namespace {

TEST(CheckpointFile, comes_back_in_any_layout) {
  for (const int ranks : {1, 2, 3, 4, 7}) run_threads(ranks, suite::a_checkpoint_comes_back_in_any_layout);
}

TEST(CheckpointFile, of_something_else_is_refused) {
  for (const int ranks : {1, 3}) run_threads(ranks, suite::a_checkpoint_of_something_else_is_refused);
}

}  // namespace
}  // namespace kallima
