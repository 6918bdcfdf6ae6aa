#pragma once
// What every transport promises, as functions of a Comm that all ranks call together. The same claims are run on
// threads, on MPI with and without shared windows, and through Chaos.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kallima/comm.hpp"

namespace kallima::suite {

using Bytes = std::vector<std::byte>;

struct Claim {
  const char* name;
  void (*check)(Comm);
};

inline Bytes pattern(std::size_t bytes, std::uint64_t key) {
  Bytes out(bytes);
  std::uint64_t x = key * 0x9E3779B97F4A7C15u + 1;
  for (auto& b : out) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(x >> 56);
  }
  return out;
}

inline bool holds(const std::byte* at, const Bytes& expected) {
  return std::equal(expected.begin(), expected.end(), at);
}

inline void wait(Transport& t, Request request) {
  while (!t.test(request)) t.idle();
}

inline void finish(Transport& t, Request request) {
  wait(t, request);
  t.release(request);
}

inline int next(const Transport& t) { return (t.rank() + 1) % t.size(); }
inline int previous(const Transport& t) { return (t.rank() + t.size() - 1) % t.size(); }

inline void blocks_of_any_size_arrive_whole(Comm comm) {
  Transport& t = comm.transport();
  int tag = 0;
  for (std::size_t bytes : {0, 1, 3, 63, 64, 65, 4097, 100003, 262144, 262145, 3 * 1048576 + 17}) {
    const Bytes block = pattern(bytes, static_cast<std::uint64_t>(t.rank()) + bytes);
    Bytes landing(bytes);
    const Request recv = t.post_recv(previous(t), tag, landing);
    const Request send = t.post_send(next(t), tag, block);
    wait(t, recv);
    EXPECT_TRUE(t.test(recv)) << "test() must stay true";
    EXPECT_TRUE(holds(t.data(recv), pattern(bytes, static_cast<std::uint64_t>(previous(t)) + bytes))) << bytes;
    t.release(recv);
    finish(t, send);
    ++tag;
  }
}

inline void every_pair_exchanges_at_once(Comm comm) {
  Transport& t = comm.transport();
  const auto ranks = static_cast<std::size_t>(t.size());
  const auto key = [&](int from, int to) { return static_cast<std::uint64_t>(from * t.size() + to); };
  std::vector<Bytes> blocks, landings(ranks, Bytes(50021));
  std::vector<Request> sends, recvs;
  for (int r = 0; r < t.size(); ++r) blocks.push_back(pattern(50021, key(t.rank(), r)));
  for (std::size_t r = 0; r < ranks; ++r) recvs.push_back(t.post_recv(static_cast<int>(r), 5, landings[r]));
  for (std::size_t r = 0; r < ranks; ++r) sends.push_back(t.post_send(static_cast<int>(r), 5, blocks[r]));
  for (std::size_t r = 0; r < ranks; ++r) {
    wait(t, recvs[r]);
    EXPECT_TRUE(holds(t.data(recvs[r]), pattern(50021, key(static_cast<int>(r), t.rank()))));
    t.release(recvs[r]);
  }
  for (const Request s : sends) finish(t, s);
}

inline void tags_may_be_received_in_reverse_order(Comm comm) {
  Transport& t = comm.transport();
  constexpr int tags = 400;
  std::vector<Bytes> blocks, landings(tags, Bytes(777));
  std::vector<Request> sends, recvs(tags);
  for (int tag = 0; tag < tags; ++tag) {
    blocks.push_back(pattern(777, static_cast<std::uint64_t>(tag + 1000 * t.rank())));
    sends.push_back(t.post_send(next(t), tag, blocks.back()));
  }
  for (auto tag = static_cast<std::size_t>(tags); tag-- > 0;)
    recvs[tag] = t.post_recv(previous(t), static_cast<int>(tag), landings[tag]);
  for (auto tag = static_cast<std::size_t>(tags); tag-- > 0;) {
    wait(t, recvs[tag]);
    EXPECT_TRUE(holds(t.data(recvs[tag]), pattern(777, tag + 1000 * static_cast<std::uint64_t>(previous(t)))));
  }
  for (const Request r : recvs) t.release(r);
  for (const Request s : sends) finish(t, s);
}

// The receiver asks for the last block first and posts nothing else meanwhile; sends in order must not block it.
inline void a_receive_posted_late_does_not_block_others(Comm comm) {
  Transport& t = comm.transport();
  constexpr int tags = 12;
  std::vector<Bytes> blocks;
  std::vector<Request> sends;
  for (int tag = 0; tag < tags; ++tag) {
    blocks.push_back(pattern(1000003, static_cast<std::uint64_t>(tag)));
    sends.push_back(t.post_send(next(t), tag, blocks.back()));
  }
  Bytes landing(1000003);
  for (int tag = tags; tag-- > 0;) {
    const Request recv = t.post_recv(previous(t), tag, landing);
    wait(t, recv);
    EXPECT_TRUE(holds(t.data(recv), blocks[static_cast<std::size_t>(tag)]));
    t.release(recv);
  }
  for (const Request s : sends) finish(t, s);
}

inline void blocks_of_one_tag_keep_their_order(Comm comm) {
  Transport& t = comm.transport();
  const auto memory = t.allocate(300000);  // some blocks are sent from here and some are not
  std::vector<Bytes> blocks, landings;
  std::vector<Request> sends, recvs;
  for (std::size_t i = 0; i < 20; ++i) {
    blocks.push_back(pattern(i * i * 500, i));
    landings.emplace_back(i * i * 500);
  }
  std::copy(blocks[17].begin(), blocks[17].end(), memory->bytes().data() + 11);
  for (std::size_t i = 0; i < 20; ++i) {
    const bool shared = i == 17;
    const std::span<const std::byte> block(shared ? memory->bytes().data() + 11 : blocks[i].data(), blocks[i].size());
    sends.push_back(t.post_send(next(t), 3, block));
    recvs.push_back(t.post_recv(previous(t), 3, landings[i]));
  }
  for (std::size_t i = 20; i-- > 0;) {
    wait(t, recvs[i]);
    EXPECT_TRUE(holds(t.data(recvs[i]), blocks[i])) << i;
    t.release(recvs[i]);
  }
  for (const Request s : sends) finish(t, s);
}

inline void views_show_the_senders_own_memory(Comm comm) {
  Transport& t = comm.transport();
  if (!t.all_views()) return;
  const auto memory = t.allocate(1 << 20);
  const auto mine = memory->bytes();
  mine[4096 + 5] = static_cast<std::byte>(t.rank());
  const Request send = t.post_send(next(t), 0, mine.subspan(4096, 100));
  const Request recv = t.post_recv(previous(t), 0, {});
  wait(t, recv);
  EXPECT_EQ(t.data(recv)[5], static_cast<std::byte>(previous(t)));
  t.barrier();
  mine[4096 + 5] = static_cast<std::byte>(t.rank() + 100);
  t.barrier();
  EXPECT_EQ(t.data(recv)[5], static_cast<std::byte>(previous(t) + 100)) << "the block was copied";
  t.barrier();
  t.release(recv);
  finish(t, send);
}

inline void a_send_of_a_view_finishes_only_after_release(Comm comm) {
  Transport& t = comm.transport();
  if (!t.all_views()) return;
  const auto memory = t.allocate(5000);
  const Request send = t.post_send(next(t), 9, memory->bytes());
  const Request recv = t.post_recv(previous(t), 9, {});
  wait(t, recv);
  t.barrier();
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(t.test(send));
  t.barrier();
  t.release(recv);
  finish(t, send);
}

inline void memory_may_differ_in_size_and_be_had_many_times(Comm comm) {
  Transport& t = comm.transport();
  const auto bytes_of = [](int rank, std::size_t i) { return static_cast<std::size_t>(rank % 3) * 10007 * i; };
  for (std::size_t i = 0; i < 6; ++i) {
    const auto first = t.allocate(64);
    const auto memory = t.allocate(bytes_of(t.rank(), i));
    EXPECT_EQ(memory->bytes().size(), bytes_of(t.rank(), i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->bytes().data()) % 64, 0u);
    const Bytes block = pattern(memory->bytes().size(), i + static_cast<std::uint64_t>(t.rank()));
    std::copy(block.begin(), block.end(), memory->bytes().begin());
    Bytes landing(bytes_of(previous(t), i));
    const Request recv = t.post_recv(previous(t), 1, landing);
    const Request send = t.post_send(next(t), 1, memory->bytes());
    wait(t, recv);
    EXPECT_TRUE(holds(t.data(recv), pattern(landing.size(), i + static_cast<std::uint64_t>(previous(t)))));
    t.release(recv);
    finish(t, send);
  }
}

inline void duplicates_do_not_mix(Comm comm) {
  Transport& t = comm.transport();
  const auto other = t.duplicate();
  const auto memory = t.allocate(2);  // of one transport, sent by both
  memory->bytes()[0] = std::byte{1};
  memory->bytes()[1] = std::byte{2};
  Bytes landing(2);
  const Request send_other = other->post_send(next(t), 0, memory->bytes().subspan(1));
  const Request send = t.post_send(next(t), 0, memory->bytes().first(1));
  const Request recv = t.post_recv(previous(t), 0, std::span(landing).first(1));
  const Request recv_other = other->post_recv(previous(t), 0, std::span(landing).subspan(1));
  while (!(t.test(recv) & other->test(recv_other))) t.idle();
  EXPECT_EQ(*t.data(recv), std::byte{1});
  EXPECT_EQ(*other->data(recv_other), std::byte{2});
  t.release(recv);
  other->release(recv_other);
  while (!(t.test(send) & other->test(send_other))) t.idle();
  t.release(send);
  other->release(send_other);
  other->barrier();
}

inline void gather_orders_by_rank(Comm comm) {
  Transport& t = comm.transport();
  for (int round = 0; round < 50; ++round) {
    const int mine = t.rank() * 100 + round;
    std::vector<int> all(static_cast<std::size_t>(t.size()));
    t.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    for (int r = 0; r < t.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r * 100 + round);
  }
}

// The sender does nothing but wait in barrier(); the rest of its block must go out all the same.
inline void messages_travel_while_a_rank_is_in_a_barrier(Comm comm) {
  Transport& t = comm.transport();
  const Bytes block = pattern(2000003, 4);
  Bytes landing(block.size());
  const Request send = t.post_send(next(t), 0, block);
  const Request recv = t.post_recv(previous(t), 0, landing);
  if (t.rank() % 2 == 0) t.barrier();
  finish(t, recv);
  if (t.rank() % 2 == 1) t.barrier();
  finish(t, send);
}

inline std::string text_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

inline void a_failure_of_one_rank_is_everybodys(Comm comm) {
  Transport& t = comm.transport();
  for (int bad = 0; bad < t.size(); ++bad) {
    const auto text = text_of([&] {
      together(t, [&] {
        if (t.rank() == bad) throw Error("no luck");
      });
    });
    EXPECT_EQ(text, t.rank() == bad ? "no luck" : "rank " + std::to_string(bad) + ": no luck");
  }
  EXPECT_EQ(text_of([&] { together(t, [&] { throw Error("mine " + std::to_string(t.rank())); }); }),
            "mine " + std::to_string(t.rank()));
  EXPECT_EQ(text_of([&] { together(t, [] {}); }), "");
  if (t.size() == 1) return;
  const auto cut = text_of([&] {
    together(t, [&] {
      if (t.rank() == 0) throw Error(std::string(3000, 'x'));
    });
  });
  EXPECT_GT(cut.size(), 300u);
}

inline void disagreement_is_seen_by_everybody(Comm comm) {
  Transport& t = comm.transport();
  EXPECT_EQ(text_of([&] { agree(t, 42, "the shape"); }), "");
  if (t.size() == 1) return;
  const auto text = text_of([&] { agree(t, t.rank() == t.size() - 1 ? 1 : 0, "the shape"); });
  EXPECT_NE(text.find("the shape"), std::string::npos);
  EXPECT_NE(text.find("rank " + std::to_string(t.size() - 1)), std::string::npos);
}

struct Parcel {
  int from, to, tag;
  std::size_t bytes;
  bool shared;
};

// All ranks draw the same parcels from the seed; each posts its own in its own random order.
inline void random_traffic_arrives(Comm comm, std::uint64_t seed) {
  Transport& t = comm.transport();
  std::mt19937_64 common(seed), own(seed * 31 + static_cast<std::uint64_t>(t.rank()));
  const auto draw = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(common); };
  std::vector<Parcel> parcels;
  for (int i = 0; i < 40; ++i) {
    const std::size_t size_class = static_cast<std::size_t>(1) << draw(18);
    parcels.push_back(
        {draw(t.size()), draw(t.size()), i, static_cast<std::size_t>(draw(1000)) + size_class, draw(2) == 0});
  }
  const auto memory = t.allocate(40 << 18);
  std::vector<std::size_t> order(parcels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), own);
  std::vector<Bytes> buffers(parcels.size()), landings(parcels.size());
  std::vector<std::pair<Request, std::size_t>> sends, recvs;
  for (const std::size_t i : order) {
    const Parcel& p = parcels[i];
    if (p.from == t.rank()) {
      buffers[i] = pattern(p.bytes, i + seed);
      std::span<const std::byte> block = buffers[i];
      if (p.shared) {
        std::copy(block.begin(), block.end(), memory->bytes().data() + (i << 18));
        block = memory->bytes().subspan(i << 18, p.bytes);
      }
      sends.emplace_back(t.post_send(p.to, p.tag, block), i);
    }
    if (p.to == t.rank()) {
      landings[i].resize(p.bytes);
      recvs.emplace_back(t.post_recv(p.from, p.tag, landings[i]), i);
    }
  }
  while (!recvs.empty() || !sends.empty()) {
    std::erase_if(recvs, [&](const auto& r) {
      if (!t.test(r.first)) return false;
      EXPECT_TRUE(holds(t.data(r.first), pattern(parcels[r.second].bytes, r.second + seed)));
      t.release(r.first);
      return true;
    });
    std::erase_if(sends, [&](const auto& s) {
      if (!t.test(s.first)) return false;
      t.release(s.first);
      return true;
    });
    t.idle();
  }
  t.barrier();
}

inline void random_traffic_of_ten_seeds_arrives(Comm comm) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) random_traffic_arrives(comm, seed);
}

inline const std::vector<Claim>& message_claims() {
  static const std::vector<Claim> claims = {
      {"blocks_of_any_size_arrive_whole", blocks_of_any_size_arrive_whole},
      {"every_pair_exchanges_at_once", every_pair_exchanges_at_once},
      {"tags_may_be_received_in_reverse_order", tags_may_be_received_in_reverse_order},
      {"a_receive_posted_late_does_not_block_others", a_receive_posted_late_does_not_block_others},
      {"blocks_of_one_tag_keep_their_order", blocks_of_one_tag_keep_their_order},
      {"views_show_the_senders_own_memory", views_show_the_senders_own_memory},
      {"a_send_of_a_view_finishes_only_after_release", a_send_of_a_view_finishes_only_after_release},
      {"memory_may_differ_in_size_and_be_had_many_times", memory_may_differ_in_size_and_be_had_many_times},
      {"duplicates_do_not_mix", duplicates_do_not_mix},
      {"gather_orders_by_rank", gather_orders_by_rank},
      {"messages_travel_while_a_rank_is_in_a_barrier", messages_travel_while_a_rank_is_in_a_barrier},
      {"a_failure_of_one_rank_is_everybodys", a_failure_of_one_rank_is_everybodys},
      {"disagreement_is_seen_by_everybody", disagreement_is_seen_by_everybody},
      {"random_traffic_of_ten_seeds_arrives", random_traffic_of_ten_seeds_arrives},
  };
  return claims;
}

}  // namespace kallima::suite
