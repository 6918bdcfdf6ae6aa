// What callers do wrong, or what goes wrong on one rank only, is an Error wherever somebody would wait or crash.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kallima/redistribute.hpp"
#include "kallima/spectral.hpp"
#include "misuse_suite.hpp"
#include "transport_suite.hpp"

namespace kallima {
namespace {

using suite::Numbers;
using suite::quickly;

std::vector<std::complex<double>> ones(const AnyFft& fft) {
  return std::vector<std::complex<double>>(static_cast<std::size_t>(fft.local_size_in()), 1.0);
}

void expect_says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
}

TEST(MovedFrom, objects_say_so) {
  Fft<double> fft({.shape = {4, 4}}, Comm(), quickly);
  Dealias<double> dealias(fft, {}, quickly);
  const Layout layout = fft.layout_in();
  Redistribution<double> redistribution(layout, layout, Comm(), quickly);
  std::vector<std::complex<double>> x(16), fine(36);
  std::vector<double> reals(16);
  const Fft<double> elsewhere = std::move(fft);
  const Dealias<double> finer = std::move(dealias);
  const Redistribution<double> moved = std::move(redistribution);
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { fft.forward(x); }, [&] { fft.start_forward(x, x); },
           [&] { fft.apply(x, x, [](Numbers) { return 1.0; }); }, [&] { fft.local_size_in(); },
           [&] { fft.wire_report(); }, [&] { fft.comm(); }, [&] { fft.record(nullptr); },
           [&] { dealias.pad_spectrum(x, fine); }, [&] { dealias.to_physical(x, fine); },
           [&] { redistribution.run(reals, reals); }, [&] { redistribution.plan(); }})
    expect_says(suite::text_of(use), {"moved"});
}

TEST(MovedFrom, arrays_are_empty) {
  Array<double> first(5);
  const Array<double> second = std::move(first);
  EXPECT_EQ(first.size(), 0);
  EXPECT_EQ(second.size(), 5);
  first = Array<double>(3);
  EXPECT_EQ(first.span().size(), 3U);
}

TEST(MovedFrom, communicators_stay_what_they_were) {
  Comm comm;
  const Comm other = std::move(comm);
  EXPECT_EQ(comm.size(), other.size());
  EXPECT_THROW(Comm(std::shared_ptr<Transport>()), Error);
}

TEST(Apply, what_one_rank_throws_is_heard_by_all_while_it_goes_on) {
  std::atomic<int> heard = 0;
  EXPECT_THROW(
      run_threads(3,
                  [&](Comm comm) {
                    Fft<double> fft({.shape = {16, 9}}, comm, quickly);
                    std::vector<std::complex<double>> x = ones(fft), y(x.size());
                    const auto f = [&](Numbers) -> double { return comm.rank() == 1 ? throw 17 : 1.0; };
                    if (comm.rank() == 1) {
                      EXPECT_THROW(fft.apply(x, y, f), int);
                      while (heard < 2) std::this_thread::yield();
                      return;
                    }
                    expect_says(suite::text_of([&] { fft.apply(x, y, f); }), {"rank 1", "not a std::exception"});
                    ++heard;
                  }),
      int);
  EXPECT_EQ(heard, 2);
}

// All at once: each takes a second, in which its ranks sleep.
TEST(Misuse, that_leaves_ranks_waiting_is_an_error) {
  const std::vector<suite::Misuse>& all = suite::misuses();
  std::vector<std::string> texts(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i)
    threads.emplace_back([&, i] { texts[i] = suite::text_of([&] { run_threads(2, all[i].body); }); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string& word : all[i].words)
      EXPECT_NE(texts[i].find(word), std::string::npos) << all[i].name << ": " << word << " is not in: " << texts[i];
}

TEST(Misuse, is_not_that_a_rank_starts_and_waits_where_another_transforms) {
  run_threads(2, [](Comm comm) {
    suite::TwoFfts f(comm);
    if (comm.rank() == 0)
      f.a.forward(f.x, f.y);
    else
      f.a.start_forward(f.x, f.y).wait();
    // Longer than a rank waits before it compares its calls with others'.
    if (comm.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    f.b.forward(f.x, f.z);
    EXPECT_EQ(f.y, f.z);
  });
}

}  // namespace
}  // namespace kallima
