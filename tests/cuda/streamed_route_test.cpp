// Schedules that take an array of the host's through a device's memory, proved, and run on the processor, to which both
// memories are the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kallima/cuda.hpp"
#include "kallima/execute.hpp"
#include "kallima/simulate.hpp"

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

// When the machine would be done.
double simulated(const Shape& shape, std::size_t room, const std::string& machine) {
  return simulate(considered(shape, room).plan->schedule(Direction::forward), machine_from_text(machine)).completion;
}

TEST(streamed, both_directions_of_the_bus_are_busy_at_once) {
  const Shape shape{64, 64, 64};
  const double once = 64 * 64 * 64 * 1e-6;  // over the bus, one way
  const std::string machine = "alphabeta:r=1e15/bus:up=1e-06,down=1e-06";
  EXPECT_NEAR(simulated(shape, 0, machine), 2 * once, 0.1 * once);  // in, then out: the last plane is needed first
  const std::size_t room = 64 * 64 * 32;
  EXPECT_NEAR(simulated(shape, room, machine), 2 * once, 0.3 * once);  // twice each way, both at the same time
  EXPECT_NEAR(simulated(shape, room, "alphabeta:r=1e15/bus:up=1e-06,down=3e-06"), 6 * once, 0.9 * once);
}

TEST(streamed, a_slow_device_hides_the_bus) {
  const Shape shape{64, 64, 64};
  const double flops = 5 * 64 * 64 * 64 * 18.0;
  EXPECT_NEAR(simulated(shape, 64 * 64 * 32, "alphabeta:r=1e6/bus:up=1e-07,down=1e-07"), flops / 1e6,
              0.01 * flops / 1e6);
}

// Measured there: 78.5 ms for 512^3, and 718.6 ms for 1024^3 with 4 GiB of the device's memory; by themselves the bus,
// 55.2 GB/s one way and 50.6 where both are busy, and the memory, 4.28 TB/s.
TEST(streamed, what_an_h200_took_was_to_be_expected) {
  const auto machine = [](double rate) {
    return fmt::format("alphabeta:r=2e13,m=4.28e12/bus:up={0},down={0}", 16 / rate);
  };
  EXPECT_NEAR(simulated({512, 512, 512}, 0, machine(55.2e9)), 0.0785, 0.05 * 0.0785);
  EXPECT_NEAR(simulated({1024, 1024, 1024}, (std::size_t{4} << 30) / element, machine(50.6e9)), 0.7186, 0.05 * 0.7186);
}

TEST(streamed, a_bus_is_part_of_a_machine) {
  const std::string words = "loggp:L=5,o=1,g=2,G=1/bus:up=0.5,down=0.25";
  const Machine machine = machine_from_text(words);
  EXPECT_EQ(machine.bus.up, 0.5);
  EXPECT_EQ(text(machine), words);
  EXPECT_EQ(machine_from_json(to_json(machine)), machine);
  EXPECT_THROW(machine_from_text("bsp:r=1,g=1,l=1/bus:up=1"), Error);
  EXPECT_THROW(machine_from_text("loggp:L=5,o=1,g=2,G=1/bus:sideways=1"), Error);
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
