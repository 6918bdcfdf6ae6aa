#include "checkpoint_suite.hpp"

namespace kallima {
namespace {

TEST(CheckpointFile, comes_back_in_any_layout) {
  for (const int ranks : {1, 2, 3, 4, 7}) run_threads(ranks, suite::a_checkpoint_comes_back_in_any_layout);
}

TEST(ArrayFile, comes_back_from_every_format) {
  for (const int ranks : {1, 2, 3, 4, 7}) run_threads(ranks, suite::an_array_comes_back_from_every_format);
}

TEST(ArrayFile, hyperslabs_are_moved_alone) {
  for (const int ranks : {1, 2, 3, 4, 7}) run_threads(ranks, suite::a_hyperslab_is_moved_alone);
}

TEST(ArrayFile, is_known_by_its_extension) {
  const auto parts = [](const std::string& text) {
    const ArrayName name = array_name(text);
    return std::tuple{name.format, name.path, name.member};
  };
  EXPECT_EQ(parts("x.npy"), (std::tuple{ArrayFormat::npy, "x.npy", ""}));
  EXPECT_EQ(parts("a:b"), (std::tuple{ArrayFormat::npy, "a:b", ""}));
  EXPECT_EQ(parts("d/x.npz:u"), (std::tuple{ArrayFormat::npz, "d/x.npz", "u"}));
  EXPECT_EQ(parts("x.h5:/g/u"), (std::tuple{ArrayFormat::hdf5, "x.h5", "/g/u"}));
  EXPECT_EQ(parts("x.hdf5"), (std::tuple{ArrayFormat::hdf5, "x.hdf5", ""}));
  EXPECT_EQ(parts("x.raw:f8:3x4"), (std::tuple{ArrayFormat::raw, "x.raw", "f8:3x4"}));
}

TEST(CheckpointFile, of_something_else_is_refused) {
  for (const int ranks : {1, 3}) run_threads(ranks, suite::a_checkpoint_of_something_else_is_refused);
}

}  // namespace
}  // namespace kallima
