// Rates and names of the network lab: what is understood, what is refused, and that only our own names are ours.

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/lab_mpi.hpp"
#include "app/lab_name.hpp"
#include "app/link_rate.hpp"
#include "app/options.hpp"

using namespace kallima;
using namespace kallima::cli;

namespace {

TEST(LinkRate, is_read_as_tc_writes_it) {
  EXPECT_EQ(parse_rate("500mbit").bits_per_second, 500'000'000u);
  EXPECT_EQ(parse_rate("1gbit").bits_per_second, 1'000'000'000u);
  EXPECT_EQ(parse_rate("2.5Gbit").bits_per_second, 2'500'000'000u);
  EXPECT_EQ(parse_rate("1500kbit").bits_per_second, 1'500'000u);
  EXPECT_EQ(parse_rate("1000000bit").bits_per_second, 1'000'000u);
  EXPECT_FALSE(parse_rate("none").limited());
}

TEST(LinkRate, says_what_it_reads) {
  for (const char* text : {"500mbit", "1gbit", "2.5gbit", "1.5mbit", "none"}) EXPECT_EQ(parse_rate(text).text(), text);
}

TEST(LinkRate, refuses_what_tc_would_take_for_something_else) {
  for (const char* text : {"", "fast", "1", "1gbps", "gbit", "-1gbit", "1e3mbit", "1 gbit", "1gbit ", "0gbit", "inf",
                           "nan", "nangbit", "infgbit", "999kbit", "101gbit", "1gibit", "1,5gbit", "99999999999gbit"})
    EXPECT_THROW(parse_rate(text), UsageError) << text;
}

TEST(LinkRate, bucket_holds_a_few_segments_and_at_most_four_milliseconds) {
  for (const char* text : {"1mbit", "10mbit", "500mbit", "1gbit", "2gbit", "40gbit", "100gbit"}) {
    const LinkRate rate = parse_rate(text);
    EXPECT_GE(rate.burst_bytes(), 10 * 1514u) << text;
    EXPECT_LE(rate.burst_bytes(), std::max<std::uint64_t>(16 * 1024, rate.bits_per_second / 8 / 250)) << text;
    EXPECT_LT(rate.burst_bytes() + rate.queue_bytes(), std::uint64_t{1} << 32) << text;  // what tc can pass on
  }
  EXPECT_EQ(parse_rate("1gbit").tc_text(), "tbf rate 1000000000bit burst 125000 limit 2625000");
}

TEST(LabName, is_read_back_from_everything_that_bears_it) {
  const LabName name{4711, 123456};
  for (const std::string& text : {name.text(), name.host(0), name.host(63), name.hub()}) {
    const auto read = LabName::of(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(read->owner, 4711);
    EXPECT_EQ(read->started, 123456u);
  }
}

TEST(LabName, other_names_are_nobodys) {
  for (const char* text : {"", "kallima", "kallima-", "kallima-1", "kallima-1-", "kallima-1-2-", "kallima-1-2-h",
                           "kallima-1-2-hx", "kallima-1-2-hub2", "kallima-0-2", "kallima--1-2", "kallima-1-0",
                           "xkallima-1-2", "kallima-1-2-h1x", "kallima-x-2-h1", "nl0"})
    EXPECT_FALSE(LabName::of(text).has_value()) << text;
}

TEST(LabName, knows_whether_its_owner_lives) {
  const LabName mine = LabName::mine();
  EXPECT_EQ(mine.owner, ::getpid());
  EXPECT_TRUE(mine.owner_lives());
  EXPECT_FALSE((LabName{mine.owner, mine.started + 1}).owner_lives());  // the number was given to another process
  EXPECT_FALSE((LabName{1 << 30, 1}).owner_lives());
}

TEST(LabAddresses, lead_back_to_their_host) {
  for (int host = 0; host < NetworkLab::most_hosts; ++host) EXPECT_EQ(host_at(host_address(host)), host);
  for (const char* text : {"", "host0", "198.18.0.", "198.18.0.0", "198.18.1.1", "198.18.0.1x", "10.0.0.1"})
    EXPECT_FALSE(host_at(text).has_value()) << text;
}

TEST(LabCommand, of_each_library_names_all_hosts_and_ends_in_the_users) {
  for (const Mpi mpi : {Mpi::open_mpi, Mpi::mpich}) {
    const Arguments arguments = mpi_command({{"a", "b c"}, mpi, "/bin/mpirun", 2}, 3, {1, 2});
    EXPECT_EQ((Arguments(arguments.begin(), arguments.begin() + 3)), (Arguments{"/bin/mpirun", "-n", "6"}));
    EXPECT_EQ((Arguments(arguments.end() - 3, arguments.end())),
              (Arguments{"/run/kallima-netlab/kallima-1-2/pin", "a", "b c"}));
    const std::string hosts =
        mpi == Mpi::mpich ? "198.18.0.1,198.18.0.2,198.18.0.3" : "198.18.0.1:2,198.18.0.2:2,198.18.0.3:2";
    EXPECT_NE(std::find(arguments.begin(), arguments.end(), hosts), arguments.end());
  }
}

TEST(LabCommand, everything_after_the_separator_is_anothers) {
  const auto count = [](std::vector<const char*> arguments) {
    return arguments_for_us(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
  };
  EXPECT_EQ(count({"kallima", "netlab", "--hosts", "2", "--", "a", "--", "b"}), 4);
  EXPECT_EQ(count({"kallima", "netlab", "--clean"}), 3);
  EXPECT_EQ(count({"kallima", "fft", "--", "x"}), 4);
  EXPECT_EQ(count({"kallima"}), 1);
}

}  // namespace
