// Running schedules without the facade, and computations that go on by themselves.

#include "kallima/execute.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "kallima/fft.hpp"
#include "kallima/plan.hpp"

namespace kallima {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> values(Index count) {
  std::vector<Complex> x;
  for (Index i = 0; i < count; ++i) x.emplace_back(std::cos(0.7 * static_cast<double>(i * i % 97)), 0.25);
  return x;
}

// Runs kernels of the processor's backend, but only when it was asked for the second time whether they are done.
class LateBackend final : public Backend {
 public:
  const Element& element() const override { return cpu_->element(); }
  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort effort) const override {
    return std::make_unique<Late>(*this, cpu_->compile(pass, depth, direction, effort));
  }
  bool done(Ticket ticket) const override {
    Queue& queue = mine();
    if (++queue.asked % 2 == 1) return false;
    for (; queue.done < ticket; ++queue.done) queue.work[queue.done]();
    return true;
  }
  int started() const {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [thread, queue] : queues_) sum += static_cast<int>(queue.work.size());
    return sum;
  }

 private:
  struct Queue {
    std::vector<std::function<void()>> work;
    Ticket done = 0;
    int asked = 0;
  };

  class Late final : public Kernel {
   public:
    Late(const LateBackend& owner, std::unique_ptr<const Kernel> kernel) : owner_(owner), kernel_(std::move(kernel)) {}
    std::size_t tile_bytes() const override { return kernel_->tile_bytes(); }
    Ticket start(const KernelCall& call) const override {
      Queue& queue = owner_.mine();
      queue.work.push_back([this, call, at = std::vector<Index>(call.at.begin(), call.at.end())] {
        kernel_->start({call.operands, at, call.scale, call.tile, call.progress, call.recv});
      });
      return queue.work.size();
    }

   private:
    const LateBackend& owner_;
    std::unique_ptr<const Kernel> kernel_;
  };

  Queue& mine() const {
    const std::lock_guard lock(mutex_);
    return queues_[std::this_thread::get_id()];
  }

  std::shared_ptr<const Backend> cpu_ = cpu_backend(Precision::double_);
  mutable std::mutex mutex_;
  mutable std::map<std::thread::id, Queue> queues_;
};

TEST(Execute, a_planned_schedule_gives_what_the_facade_gives) {
  for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
    const PlanOptions options{.route = "cyclic", .placement = placement};
    const auto it = plan({.shape = {36, 8}}, 3, options);
    const Schedule schedule = it->schedule(Direction::forward);
    run_threads(3, [&](const Comm& comm) {
      Fft<double> fft({.shape = {36, 8}}, comm, {.plan = options, .effort = Effort::estimate});
      std::vector<Complex> in = values(fft.local_size_in()), expected(in.size()), out(in.size());
      fft.forward(in, expected);
      const bool in_place = placement == Placement::in_place;
      if (in_place) out = in;
      const std::vector<Complex>& from = in_place ? out : in;
      Trace trace;
      execute(schedule, comm, std::as_bytes(std::span(from)), std::as_writable_bytes(std::span(out)),
              {.trace = &trace});
      EXPECT_EQ(out, expected);
      EXPECT_FALSE(trace.events.empty());
    });
  }
}

TEST(Execute, what_a_schedule_keeps_is_prepared) {
  for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
    const PlanOptions options{.route = "bluestein", .exchange = exchange};
    const Schedule schedule = plan({.shape = {101}}, 3, options)->schedule(Direction::forward);
    run_threads(3, [&](const Comm& comm) {
      Fft<double> fft({.shape = {101}}, comm, {.plan = options, .effort = Effort::estimate});
      std::vector<Complex> in = values(fft.local_size_in()), expected(in.size()), out(in.size());
      fft.forward(in, expected);
      execute(schedule, comm, std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)));
      EXPECT_EQ(out, expected);
      EXPECT_THROW(execute(schedule.ranks[static_cast<std::size_t>(comm.rank())], Direction::forward, comm,
                           std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))),
                   Error);
    });
  }
}

TEST(Execute, wrong_arrays_and_schedules_are_refused_on_every_rank) {
  const Schedule sound = plan({.shape = {64}}, 2)->schedule(Direction::forward);
  Schedule broken = sound;
  broken.ranks[0].tasks.pop_back();
  std::atomic<int> refused = 0;
  const auto tries = [&](const Comm& comm, const Schedule& schedule, std::size_t in, std::size_t out) {
    std::vector<Complex> x(in), y(out);
    try {
      execute(schedule, comm, std::as_bytes(std::span(x)), std::as_writable_bytes(std::span(y)));
    } catch (const Error&) {
      ++refused;
    }
  };
  run_threads(2, [&](const Comm& comm) {
    tries(comm, sound, 32, 32);
    EXPECT_EQ(refused, 0);
    comm.transport().barrier();
    tries(comm, sound, comm.rank() == 0 ? 32 : 31, 32);  // one rank's fault
    tries(comm, sound, 32, comm.rank() == 0 ? 33 : 32);
    tries(comm, broken, 32, 32);
  });
  run_threads(3, [&](const Comm& comm) { tries(comm, sound, 32, 32); });
  EXPECT_EQ(refused, 9);
}

TEST(Execute, computations_may_go_on_after_they_were_started) {
  for (const char* route : {"cyclic", "slab", "pencil", "local"})
    for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
      const auto late = std::make_shared<LateBackend>();
      run_threads(2, [&](const Comm& comm) {
        const Problem problem{.shape = {16, 12, 4}};
        const FftOptions usual{.plan = {.route = route, .exchange = exchange}, .effort = Effort::estimate};
        FftOptions deferred = usual;
        deferred.backend = late;
        Fft<double> fft(problem, comm, usual), other(problem, comm, deferred);
        std::vector<Complex> x = values(fft.local_size_in()), a(static_cast<std::size_t>(fft.local_size_out())), b = a;
        Trace trace;
        other.record(&trace);
        for (int i = 0; i < 2; ++i) {
          fft.forward(x, a);
          other.forward(x, b);
          EXPECT_EQ(a, b);
          fft.backward(a, x, Norm::full);
          other.backward(b, b, Norm::full);
          EXPECT_TRUE(std::equal(x.begin(), x.end(), b.begin()));
        }
        const std::vector<std::span<const Complex>> in{x, x, x};
        std::vector<std::vector<Complex>> results(3, a);
        const std::vector<std::span<Complex>> out(results.begin(), results.end());
        fft.forward(x, a);
        other.forward_many(in, out);
        for (const auto& result : results) EXPECT_EQ(result, a);
      });
      EXPECT_GT(late->started(), 0);
    }
}

}  // namespace
}  // namespace kallima
