// Temporary files are made where nobody else could have put something, and are gone unless they are wanted.

#include "app/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace kallima::cli {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/kallima_files_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(Files, temporary_ones_have_names_that_differ_and_are_short) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(temporary_name(path("x"), random_token()));
  EXPECT_EQ(names.size(), 1000u);
  const std::string name = temporary_name(path(std::string(255, 'x').c_str()), random_token());
  EXPECT_LE(fs::path(name).filename().string().size(), 64u);
  EXPECT_EQ(fs::path(name).parent_path(), folder_);
}

TEST_F(Files, a_temporary_one_is_never_something_that_was_there) {
  fs::create_symlink("victim", path("link"));
  std::ofstream(path("file")) << "mine";
  for (const char* name : {"link", "file"}) EXPECT_THROW(Replacement(path(name), path("target")), Error) << name;
  EXPECT_FALSE(fs::exists(path("victim")));
  EXPECT_EQ(fs::file_size(path("file")), 4u);
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(Files, a_temporary_one_is_nobody_elses_business_where_it_replaces_another) {
  std::ofstream(path("target")) << "old";
  ::chmod(path("target").c_str(), 0640);
  struct stat info {};
  {
    const Replacement replacement(path("temporary"), path("target"));
    ASSERT_EQ(::stat(path("temporary").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u);
  }
  EXPECT_FALSE(fs::exists(path("temporary")));
  write_text(path("target"), "new");
  ASSERT_EQ(::stat(path("target").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  EXPECT_EQ(read_text(path("target")), "new");
}

TEST_F(Files, signals_are_afterwards_what_they_were_before) {
  ::signal(SIGHUP, SIG_IGN);
  { const Replacement replacement(path("temporary"), path("target")); }
  EXPECT_EQ(::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace kallima::cli
