// After the first call a transform allocates nothing: whatever can be decided or made beforehand has been.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "kallima/fft.hpp"
#include "sample.hpp"

namespace {

thread_local bool counting = false;
std::atomic<int> allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  void* const at = alignment <= alignof(std::max_align_t)
                       ? std::malloc(bytes)
                       : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // free() is what fits the malloc() above
void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new[](std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, 1); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }

namespace kallima {
namespace {

// Of `action`, on all ranks, after it was run a few times: which messages wait for others is a matter of chance, and
// lists grow with what waits. Nobody goes ahead to something new meanwhile.
template <class F>
int allocations_of(const Comm& comm, const F& action) {
  for (int i = 0; i < 5; ++i) action();
  comm.transport().barrier();
  allocations = 0;
  comm.transport().barrier();
  counting = true;
  for (int i = 0; i < 3; ++i) action();
  counting = false;
  comm.transport().barrier();
  const int all = allocations;
  comm.transport().barrier();
  return all;
}

TEST(Allocation, is_noticed) {
  EXPECT_EQ(allocations_of(Comm(), [] { std::vector<int> list(100); }), 3);
}

struct Want {
  Problem problem;
  PlanOptions plan;
  Wire wire = {};
};

// Complex numbers, half spectra and cosines; lanes, lines of odd lengths, and lines so long that they take two rounds.
std::vector<Want> wants() {
  std::vector<Want> all;
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    for (const char* route : {"auto", "slab", "pencil", "line", "cyclic"})
      for (const Problem& problem :
           {Problem{.shape = {64, 36}}, Problem{.shape = {22, 14, 6}}, Problem{.shape = {Index{1} << 16}},
            Problem{.shape = {2048, 6}, .data = Data::real_},
            Problem{.shape = {24, 10}, .data = Data::real_, .kinds = {Kind::dct2, Kind::dst4}}}) {
        all.push_back({problem, {.route = route, .exchange = exchange}});
        all.push_back({problem, {.route = route, .exchange = exchange}, {Wire::Format::single}});
      }
  return all;
}

void allocates_nothing(const Comm& comm, const Want& want) {
  AnyFft fft(want.problem, comm, {.plan = want.plan, .effort = Effort::estimate, .wire = want.wire});
  const Element& element = fft.element();
  const auto bytes = [&](Index count, Data data) { return static_cast<std::size_t>(count) * element.bytes_of(data); };
  const std::size_t in_bytes = bytes(fft.local_size_in(), fft.plan().data_in());
  const std::size_t out_bytes = bytes(fft.local_size_out(), fft.plan().data_out());
  std::vector<std::byte> in(in_bytes), out(out_bytes), both(std::max(in_bytes, out_bytes));
  EXPECT_EQ(allocations_of(comm, [&] { fft.forward(std::span<const std::byte>(in), std::span(out)); }), 0);
  EXPECT_EQ(allocations_of(comm, [&] { fft.backward(std::span<const std::byte>(out), std::span(in)); }), 0);
  EXPECT_EQ(allocations_of(comm, [&] { fft.forward(std::span<const std::byte>(both), std::span(both)); }), 0);
  EXPECT_EQ(allocations_of(comm, [&] { fft.backward(std::span<const std::byte>(both), std::span(both)); }), 0);
}

TEST(Allocation, no_transform_does_any_after_the_first_call) {
  int runs = 0;
  Sample sample(4);
  for (const Want& want : wants())
    for (const int ranks : {1, 2, 3}) {
      if (!sample.takes()) continue;
      const std::vector<Candidate> all = candidates(want.problem, ranks, want.plan);
      const bool applies = want.plan.route == "auto" || std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
                             return c.route == want.plan.route && c.plan != nullptr;
                           });
      if (!applies) continue;
      SCOPED_TRACE(want.plan.route + " of " + text(want.problem.shape) + " on " + std::to_string(ranks));
      run_threads(ranks, [&](const Comm& comm) { allocates_nothing(comm, want); });
      ++runs;
    }
  EXPECT_GE(runs, 60 / sample.one_in());
}

}  // namespace
}  // namespace kallima
