// Schedules that take an array of the host's through a device's memory, proved, and run on the processor, to which both
// memories are the same.

#include <gtest/gtest.h>

#include <cmath>

#include "kallima/cuda.hpp"
#include "kallima/execute.hpp"

namespace kallima {
namespace {

constexpr std::size_t element = sizeof(std::complex<double>);

Candidate considered(const Shape& shape, std::size_t elements) {
  return cuda_streamed_route(elements * element).consider(checked({.shape = shape}), 1, {});
}

Index crossings(const RankSchedule& schedule, const std::string& label) {
  Index words = 0;
  for (const Task& task : schedule.tasks)
    if (task.label == label) words += task.elements;
  return words / schedule.size(Buffer::in);
}

TEST(streamed, schedules_are_valid_in_and_out_of_place) {
  for (const Shape& shape : {Shape{8, 6}, Shape{12, 5, 7}, Shape{64, 16}, Shape{3, 2, 2, 5}})
    for (const std::size_t room : {std::size_t{0}, std::size_t{320}, std::size_t{480}}) {
      const Candidate candidate = considered(shape, room);
      ASSERT_TRUE(candidate.plan) << candidate.reason;
      validate(candidate.plan->schedule(Direction::forward));
      validate(candidate.plan->schedule(Direction::backward), Aliasing::in_is_out);
    }
}

TEST(streamed, an_array_that_fits_crosses_the_bus_once_and_others_twice) {
  const Shape shape{16, 16, 4};
  EXPECT_EQ(crossings(considered(shape, 0).plan->rank_schedule(0, Direction::forward), "to device"), 1);
  EXPECT_EQ(crossings(considered(shape, 1024).plan->rank_schedule(0, Direction::forward), "from device"), 1);
  const RankSchedule twice = considered(shape, 512).plan->rank_schedule(0, Direction::forward);
  EXPECT_EQ(crossings(twice, "to device"), 2);
  EXPECT_EQ(crossings(twice, "from device"), 2);
  EXPECT_LE(twice.size(Buffer::work), 512);
}

TEST(streamed, a_wave_becomes_one_number) {
  for (const std::size_t room : {std::size_t{0}, std::size_t{480}}) {
    const Shape shape{12, 10, 9};
    const Schedule schedule = considered(shape, room).plan->schedule(Direction::forward);
    std::vector<std::complex<double>> x, y(1080);
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 10; ++j)
        for (int k = 0; k < 9; ++k)
          x.push_back(std::polar(1.0, 2 * M_PI * (5 * i / 12.0 + 3 * j / 10.0 + 7 * k / 9.0)));
    execute(schedule, Comm(), std::as_bytes(std::span(x)), std::as_writable_bytes(std::span(y)));
    for (std::size_t at = 0; at < y.size(); ++at)
      EXPECT_NEAR(y[at].real(), at == (5 * 10 + 3) * 9 + 7 ? 1080 : 0, 1e-9) << at;
  }
}

TEST(streamed, what_it_does_not_do_it_says) {
  const Route route = cuda_streamed_route(0);
  EXPECT_NE(route.consider(checked({.shape = {8, 8}}), 2, {}).reason, "");
  EXPECT_NE(route.consider(checked({.shape = {64}}), 1, {}).reason, "");
  EXPECT_NE(route.consider(checked({.shape = {8, 8}, .data = Data::real_}), 1, {}).reason, "");
  EXPECT_THROW(considered({64, 64}, 128).plan->rank_schedule(0, Direction::forward), Error);
}

}  // namespace
}  // namespace kallima
