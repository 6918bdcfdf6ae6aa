// A rank of the threads transport that throws must wake every other, wherever that one waits, and be heard outside.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "kallima/comm.hpp"
#include "transport_suite.hpp"

namespace kallima {
namespace {

// Rank 1 throws; the others do `wait_for_it` and must leave it with an Error that says why.
void expect_woken(const std::function<void(Transport&)>& wait_for_it) {
  std::atomic<int> woken = 0;
  const auto text = suite::text_of([&] {
    run_threads(4, [&](Comm comm) {
      if (comm.rank() == 1) throw std::logic_error("the roof is on fire");
      const auto heard = suite::text_of([&] { wait_for_it(comm.transport()); });
      if (heard.find("rank 1 failed: the roof is on fire") != std::string::npos) ++woken;
      throw Error(heard);
    });
  });
  EXPECT_EQ(text, "the roof is on fire");
  EXPECT_EQ(woken, 3);
}

TEST(Failure, wakes_ranks_in_a_barrier) {
  expect_woken([](Transport& t) { t.barrier(); });
}

TEST(Failure, wakes_ranks_in_gather) {
  expect_woken([](Transport& t) {
    std::vector<std::byte> all(static_cast<std::size_t>(t.size()));
    t.gather(std::span(all).first(1), all);
  });
}

TEST(Failure, wakes_ranks_in_allocate_and_duplicate) {
  expect_woken([](Transport& t) { t.allocate(100); });
  expect_woken([](Transport& t) { t.duplicate(); });
}

TEST(Failure, wakes_ranks_that_test_a_receive_without_idling) {
  expect_woken([](Transport& t) {
    const Request recv = t.post_recv(1, 0, {});
    while (!t.test(recv)) {
    }
  });
}

TEST(Failure, wakes_ranks_that_wait_for_a_send_to_be_released) {
  expect_woken([](Transport& t) {
    const std::byte block{};
    suite::wait(t, t.post_send(1, 0, {&block, 1}));
  });
}

TEST(Failure, wakes_ranks_that_sleep_in_idle) {
  expect_woken([](Transport& t) {
    while (true) t.idle();
  });
}

TEST(Failure, wakes_ranks_of_a_duplicate) {
  const auto text = suite::text_of([] {
    run_threads(3, [](Comm comm) {
      const auto other = comm.transport().duplicate();
      if (comm.rank() == 2) throw Error("gone");
      other->barrier();
    });
  });
  EXPECT_EQ(text, "gone");
}

// Each rank reads its view of a failed rank's memory after that rank is gone.
TEST(Failure, leaves_memory_readable_for_those_who_still_read_it) {
  std::atomic<bool> gone = false;
  std::atomic<bool> received = false;
  std::atomic<int> right = 0;
  EXPECT_THROW(run_threads(2,
                           [&](Comm comm) {
                             Transport& t = comm.transport();
                             struct Last {
                               std::atomic<bool>& flag;
                               bool mine;
                               ~Last() { flag = flag || mine; }
                             } last{gone, t.rank() == 0};
                             const auto memory = t.allocate(8 << 20);
                             memory->bytes()[5 << 20] = std::byte{9};
                             t.post_send(1 - t.rank(), 0, memory->bytes());
                             const Request recv = t.post_recv(1 - t.rank(), 0, {});
                             suite::wait(t, recv);
                             if (t.rank() == 1) received = true;
                             while (!received) std::this_thread::yield();  // or the failure would wake rank 1's wait
                             if (t.rank() == 0) throw Error("leaving");
                             while (!gone) std::this_thread::yield();
                             if (t.data(recv)[5 << 20] == std::byte{9}) ++right;
                           }),
               Error);
  EXPECT_EQ(right, 1);
}

// Rank 1 returns; the others do `wait_for_it` and must leave it with an Error that names rank 1.
void expect_missed(const std::function<void(Transport&)>& wait_for_it) {
  std::atomic<int> missed = 0;
  run_threads(3, [&](Comm comm) {
    if (comm.rank() == 1) return;
    if (suite::text_of([&] { wait_for_it(comm.transport()); }).find("rank 1 has left") != std::string::npos) ++missed;
  });
  EXPECT_EQ(missed, 2);
}

TEST(Failure, of_a_rank_that_leaves_early_wakes_those_who_wait_for_it) {
  expect_missed([](Transport& t) { t.barrier(); });
  expect_missed([](Transport& t) { gathered(t, 1); });
  expect_missed([](Transport& t) { t.allocate(100); });
  expect_missed([](Transport& t) { t.duplicate(); });
  expect_missed([](Transport& t) { suite::wait(t, t.post_recv(1, 0, {})); });
  expect_missed([](Transport& t) {
    const std::byte block{};
    suite::wait(t, t.post_send(1, 0, {&block, 1}));
  });
}

TEST(Failure, is_not_that_a_rank_leaves_when_it_has_done_its_part) {
  const std::byte block{};
  run_threads(3, [&](Comm comm) {
    Transport& t = comm.transport();
    if (t.rank() > 0) {
      const Request send = t.post_send(0, 0, {&block, 1});
      if (t.rank() == 2) suite::finish(t, send);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const int peer : {2, 1}) suite::finish(t, t.post_recv(peer, 0, {}));
  });
}

TEST(Failure, of_an_allocation_is_everybodys_and_has_the_size_in_it) {
  std::atomic<int> told = 0;
  run_threads(3, [&](Comm comm) {
    const std::size_t absurd = std::size_t{1} << 60;
    const auto text = suite::text_of([&] { comm.transport().allocate(comm.rank() == 1 ? absurd : 10); });
    if (text.find(std::to_string(absurd)) != std::string::npos) ++told;
    comm.transport().barrier();
  });
  EXPECT_EQ(told, 3);
}

TEST(RunThreads, refuses_to_run_no_ranks) {
  EXPECT_THROW(run_threads(0, [](Comm) {}), Error);
}

TEST(RunThreads, passes_on_what_is_not_a_std_exception) {
  EXPECT_THROW(run_threads(2,
                           [](Comm comm) {
                             if (comm.rank() == 1) throw 17;
                             comm.transport().barrier();
                           }),
               int);
}

TEST(RunThreads, gives_each_rank_its_number) {
  std::atomic<int> mask = 0;
  run_threads(5, [&](Comm comm) { mask |= 1 << comm.rank(); });
  EXPECT_EQ(mask, 31);
}

TEST(Comm, is_a_world_of_one_by_default) {
  const Comm comm;
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
  for (const auto& claim : suite::message_claims()) claim.check(comm);
}

TEST(Transport, refuses_peers_that_do_not_exist_and_early_release) {
  const Comm comm;
  Transport& t = comm.transport();
  EXPECT_THROW(t.post_send(1, 0, {}), Error);
  EXPECT_THROW(t.post_recv(-1, 0, {}), Error);
  EXPECT_THROW(t.test(3), Error);
  const Request recv = t.post_recv(0, 0, {});
  EXPECT_THROW(t.release(recv), Error);
  EXPECT_THROW(t.data(recv), Error);
}

}  // namespace
}  // namespace kallima
