// What trying teaches is remembered, can be handed on, and is used.

#include "kallima/wisdom.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fft/wisdom_book.hpp"
#include "kallima/fft.hpp"

namespace kallima {
namespace {

const Problem problem{
    .shape = {1 << 17}, .in = Layout::blocks({1 << 17}, {2}, 2), .out = Layout::blocks({1 << 17}, {2}, 2)};

struct Forgets {
  Forgets() { forget_wisdom(); }
  ~Forgets() { forget_wisdom(); }
};

std::string error_of(const std::string& json) {
  try {
    import_wisdom(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Wisdom, of_two_that_know_a_problem_the_shorter_times_stay) {
  const Forgets anew;
  import_wisdom(R"({"wisdom": {"one": {"slab": 2.0, "pencil": 1.0}}})");
  import_wisdom(R"({"wisdom": {"one": {"slab": 0.5, "line": 3.0}, "two": {"cyclic": 1.0}}})");
  const std::string all = export_wisdom();
  for (const char* part : {"\"slab\": 0.5", "\"pencil\": 1.0", "\"line\": 3.0", "\"two\""})
    EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
}

TEST(Wisdom, that_makes_no_sense_is_refused_and_changes_nothing) {
  const Forgets anew;
  import_wisdom(R"({"wisdom": {"one": {"slab": 2.0}}})");
  const std::string before = export_wisdom();
  EXPECT_NE(error_of("nonsense"), "");
  EXPECT_NE(error_of(R"({"wisdom": {"one": {"slab": -1.0}}})").find("make no sense"), std::string::npos);
  EXPECT_EQ(export_wisdom(), before);
}

// Each of many processes learns something, all at once, and nothing of it is lost.
TEST(Wisdom, of_many_processes_is_kept_together) {
  const std::string folder = ::testing::TempDir() + fmt::format("wisdom_{}", ::getpid());
  constexpr int processes = 12;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
      ::setenv("KALLIMA_CACHE", "on", 1);
      learn_wisdom({.shape = {100 + i}}, 2, {}, {{"line", 1e-3}});
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  std::ifstream file(folder + "/kallima/wisdom.json");
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (int i = 0; i < processes; ++i)
    EXPECT_NE(all.find(fmt::format("shape {}", 100 + i)), std::string::npos) << i << " in " << all;
  std::filesystem::remove_all(folder);
}

// The slowest route is said to be the fastest, and believed.
TEST(Wisdom, decides_where_layouts_are_the_callers) {
  const Forgets anew;
  run_threads(2, [&](const Comm& comm) { Fft<double>(problem, comm, {.effort = Effort::measure}); });
  std::string book = export_wisdom();
  const std::map<std::string, double> known = wisdom_of(problem, 2, {});
  ASSERT_GE(known.size(), 2u) << book;
  const auto slowest = std::ranges::max_element(known, {}, [](const auto& it) { return it.second; });
  forget_wisdom();
  const std::string time = fmt::format("\"{}\": ", slowest->first);
  const std::size_t at_time = book.find(time) + time.size();
  book.replace(at_time, book.find_first_of(",\n", at_time) - at_time, "1e-9");
  import_wisdom(book);
  run_threads(2, [&](const Comm& comm) {
    EXPECT_EQ(Fft<double>(problem, comm, {.effort = Effort::measure}).plan().options().route, slowest->first);
  });
}

}  // namespace
}  // namespace kallima
