// The doctor's judgement on made-up measurements, and what is kept of it.

#include "kallima/doctor.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "transport/doctor_cache.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

constexpr std::size_t kib = 1024;

ExchangeRate rate(std::size_t piece, int send, int receive, double mb_per_s) {
  return {Tuning{.piece_bytes = piece, .send_window = send, .receive_window = receive}, 1e6 * mb_per_s};
}

Findings open_mpi_over_tcp() {
  return {.path = PathKind::host_messages,
          .network = Medium::tcp,
          .interface = "eth0",
          .library = "Open MPI v4.1.4",
          .ranks = 2,
          .hosts = 2,
          .rates = {rate(63 * kib, 4, 8, 112), rate(256 * kib, 4, 4, 62), rate(256 * kib, 4, 8, 114),
                    rate(256 * kib, 8, 16, 115), rate(1024 * kib, 4, 8, 115)},
          .one_way_bytes_per_s = 117e6,
          .alone_bytes = 64 * kib,
          .hidden_alone = 0.02,
          .hidden_by_polling = {{20e-6, 0.95}, {50e-6, 0.96}, {100e-6, 0.95}, {200e-6, 0.93}},
          .hidden_by_thread = 0.91};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Judgement, is_in_plain_words_with_the_numbers_in_them) {
  const Diagnosis d = judge(open_mpi_over_tcp());
  for (const char* part :
       {"Open MPI v4.1.4, messages over TCP (eth0) between 2 hosts.", "Nothing moves while a rank computes",
        "polling every 200 us hides 93 %", "a thread hides 91 %", "1.91 x one", "64 KiB leave"})
    EXPECT_TRUE(says(d.found, part)) << part << " is not in: " << d.found;
  EXPECT_EQ(d.will, "poll every 200 us, pieces of 63 KiB, 4 sent and 8 awaited at a time");
  EXPECT_EQ(d.tuning, Tuning{});
  EXPECT_TRUE(d.advice.empty());
}

TEST(Judgement, takes_what_is_clearly_faster_and_on_a_tie_what_hinders_least) {
  Findings f = open_mpi_over_tcp();
  f.rates = {rate(16 * kib, 2, 2, 100), rate(60 * kib, 2, 4, 99), rate(1024 * kib, 8, 8, 99)};
  EXPECT_EQ(judge(f).tuning.piece_bytes, 60 * kib);  // larger than 16 KiB; 1 MiB makes blocks wait
  f.rates.push_back(rate(1024 * kib, 8, 16, 120));
  EXPECT_EQ(judge(f).tuning.piece_bytes, 1024 * kib);
  EXPECT_EQ(judge(f).tuning.receive_window, 16);
}

TEST(Judgement, prefers_pieces_that_leave_without_asking) {
  Findings f = open_mpi_over_tcp();
  EXPECT_EQ(judge(f).tuning.piece_bytes, 63 * kib);  // 256 KiB are faster, but by less than chance
  f.alone_bytes = 4096 * kib;
  EXPECT_EQ(judge(f).tuning.piece_bytes, 256 * kib);
}

TEST(Judgement, wants_a_thread_only_where_it_hides_clearly_more) {
  Findings f = open_mpi_over_tcp();
  f.hidden_by_thread = 0.97;
  EXPECT_EQ(judge(f).tuning.progress, ProgressBy::polling);
  for (Hidden& h : f.hidden_by_polling) h.share -= 0.3;
  EXPECT_EQ(judge(f).tuning.progress, ProgressBy::thread);
  f.hidden_by_thread.reset();
  EXPECT_EQ(judge(f).tuning.progress, ProgressBy::polling);
}

TEST(Judgement, polls_as_usual_unless_another_cadence_is_clearly_better) {
  Findings f = open_mpi_over_tcp();
  f.hidden_by_polling = {{20e-6, 0.97}, {50e-6, 0.94}, {100e-6, 0.94}, {200e-6, 0.93}};
  EXPECT_DOUBLE_EQ(judge(f).tuning.poll_seconds, 200e-6);
  f.hidden_by_polling = {{20e-6, 0.96}, {50e-6, 0.97}, {100e-6, 0.95}, {200e-6, 0.7}};
  EXPECT_DOUBLE_EQ(judge(f).tuning.poll_seconds, 100e-6);
}

TEST(Judgement, tells_the_paths_apart) {
  Findings f = open_mpi_over_tcp();
  f.network = Medium::unknown;
  EXPECT_TRUE(says(judge(f).found, "transport unknown"));
  f.path = PathKind::node_messages;
  f.network = Medium::memory;
  EXPECT_TRUE(says(judge(f).found, "messages through memory between 2 ranks on one node"));
  f.path = PathKind::shared_memory;
  f.handover_s = 2e-6;
  EXPECT_TRUE(says(judge(f).found, "see each other's memory. A block is read where its sender has it, 2.0 us"));
  const Diagnosis threads = judge({.path = PathKind::threads, .handover_s = 1e-6});
  EXPECT_TRUE(says(threads.found, "Threads of one process, 2 ranks."));
  EXPECT_TRUE(says(threads.will, "nothing to tune"));
}

TEST(Judgement, recommends_what_a_library_needs_and_names_directions_that_take_turns) {
  Findings f = open_mpi_over_tcp();
  f.library = "MPICH 4.0.2";
  f.remedy = "UCX_RNDV_THRESH=128k";
  ASSERT_EQ(judge(f).advice.size(), 1u);
  EXPECT_TRUE(says(judge(f).advice[0], "export UCX_RNDV_THRESH=128k"));
  for (ExchangeRate& r : f.rates) r.bytes_per_s = 60e6;
  ASSERT_EQ(judge(f).advice.size(), 2u);
  EXPECT_TRUE(says(judge(f).advice[1], "take turns"));
}

TEST(Judgement, on_a_busy_machine_changes_only_what_is_far_slower_and_says_so) {
  Findings f = open_mpi_over_tcp();
  f.rates = {rate(16 * kib, 2, 2, 120), rate(63 * kib, 4, 8, 90)};
  f.hidden_by_thread = 2;
  f.processor_share = 0.4;
  EXPECT_EQ(judge(f).tuning, Tuning{});
  ASSERT_EQ(judge(f).advice.size(), 1u);
  EXPECT_TRUE(says(judge(f).advice[0], "for only 40 % of the time"));
  f.rates[1].bytes_per_s = 60e6;  // directions that take turns
  EXPECT_EQ(judge(f).tuning.piece_bytes, 16 * kib);
}

TEST(Examination, of_threads_finds_views) {
  run_threads(3, [](const Comm& comm) {
    const Findings f = examine(comm, {.with_tuning = [&](const Tuning&) { return comm; }});
    EXPECT_EQ(f.path, PathKind::threads);
    EXPECT_EQ(f.hosts, 1);
    EXPECT_GT(f.handover_s, 0);
  });
  EXPECT_THROW(examine(Comm(), {}), Error);
}

TEST(Host, of_one_cluster_are_alike_and_identities_do_not_change) {
  EXPECT_EQ(host_family("node017"), "node");
  EXPECT_EQ(host_family("node017.cluster9.example"), "node");
  EXPECT_EQ(host_family("laptop"), "laptop");
  EXPECT_EQ(host_family("42"), "");
  EXPECT_EQ(host_identity(), host_identity());
}

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/kallima_doctor_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/kallima/doctor.json"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_ + "/kallima");
    std::ofstream(path()) << text;
  }
  std::string folder_;
};

const CacheKey here{"Open MPI v4.1.4", true, "node1"};
const Tuning found_tuning{.piece_bytes = 60 * kib,
                          .send_window = 8,
                          .receive_window = 16,
                          .poll_seconds = 20e-6,
                          .progress = ProgressBy::thread};

TEST_F(Cache, gives_back_what_was_saved_and_only_under_its_key) {
  const DoctorCache cache(path());
  EXPECT_FALSE(cache.find(here));
  cache.save(here, found_tuning, "found");
  cache.save({"MPICH 4.0.2", true, "node1"}, {}, "found");
  EXPECT_EQ(cache.find(here), found_tuning);
  EXPECT_EQ(cache.find({"Open MPI v4.1.4", true, "node77"}), found_tuning);
  EXPECT_FALSE(cache.find({"Open MPI v4.1.4", false, "node1"}));
  EXPECT_FALSE(cache.find({"Open MPI v5.0.0", true, "node1"}));
  EXPECT_TRUE(cache.asks_for_thread("Open MPI v4.1.4"));
  EXPECT_FALSE(cache.asks_for_thread("MPICH 4.0.2"));
  EXPECT_TRUE(cache.forget(here));
  EXPECT_FALSE(cache.forget(here));
  EXPECT_FALSE(cache.find(here));
  EXPECT_EQ(cache.find({"MPICH 4.0.2", true, "node1"}), Tuning{});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ + "/kallima"), {}), 1) << "something is left";
}

TEST_F(Cache, that_is_damaged_is_as_good_as_none_and_can_be_written_again) {
  const DoctorCache cache(path());
  const std::string key = here.text();
  for (const std::string& text :
       {std::string("{\"entries\": {\"Open"), std::string(""), std::string("[1, 2]"), std::string("{\"entries\": 3}"),
        "{\"entries\": {\"" + key + "\": 7}}", "{\"entries\": {\"" + key + "\": {\"tuning\": \"piece=\"}}}",
        "{\"entries\": {\"" + key + "\": {\"tuning\": [2]}}}"}) {
    write(text);
    EXPECT_FALSE(cache.find(here)) << text;
    EXPECT_FALSE(cache.asks_for_thread(here.library)) << text;
    cache.save(here, found_tuning, "found");
    EXPECT_EQ(cache.find(here), found_tuning) << text;
  }
}

TEST_F(Cache, that_is_a_pipe_is_not_waited_for) {
  write("");
  std::filesystem::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(DoctorCache(path()).find(here));
  DoctorCache(path()).save(here, found_tuning, "found");
  EXPECT_EQ(DoctorCache(path()).find(here), found_tuning);
}

TEST_F(Cache, keeps_its_mode_and_follows_no_link_that_lies_beside_it) {
  write("");
  std::filesystem::permissions(path(), std::filesystem::perms(0640));
  std::filesystem::create_symlink("victim", fmt::format("{}.{}", path(), ::getpid()));
  DoctorCache(path()).save(here, found_tuning, "found");
  EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms(0640));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/kallima/victim"));
}

TEST_F(Cache, that_cannot_be_written_says_so) {
  write("");
  EXPECT_THROW(DoctorCache(path() + "/below/doctor.json").save(here, found_tuning, ""), Error);
  EXPECT_THROW(DoctorCache("").save(here, found_tuning, ""), Error);
}

}  // namespace
}  // namespace kallima
