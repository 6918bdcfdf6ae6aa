#include "plan/exchange/regrid.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "plan/exchange/block.hpp"
#include "plan/exchange/link.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

// The same elements in both arrays.
struct Moved {
  Block from;
  Block to;
};

Index count_of(const std::vector<Moved>& blocks) {
  Index count = 0;
  for (const Moved& m : blocks) count += count_of(m.from);
  return count;
}

Step copy(const Block& block, const Strided& from, const Strided& to, bool real) {
  Step step;
  step.pass = move_block(block, from, to, real);
  return step;
}

class RegridPlan : public Plan {
 public:
  RegridPlan(const Layout& from, const Layout& to, IndexRuns runs, Data data, PlanOptions options)
      : Plan({.shape = from.shape(), .data = data}, std::move(options), from, to, 1,
             fmt::format("1 exchange: {} and {}, {} runs along the first dimension", from.text(), to.text(),
                         runs[0].size())),
        runs_(std::move(runs)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override;

 private:
  std::vector<Moved> shared(const Block& from, const Block& to, Direction direction) const;

  IndexRuns runs_;
};

// All combinations of runs that are not empty between what two ranks own.
std::vector<Moved> RegridPlan::shared(const Block& from, const Block& to, Direction direction) const {
  std::vector<Moved> all{{}};
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    std::vector<Moved> longer;
    for (const IndexRun& run : runs_[k]) {
      const bool forward = direction == Direction::forward;
      const Index first = forward ? run.from : run.to, shift = forward ? run.to - run.from : run.from - run.to;
      Progression source = intersection(from[k], Progression{first, 1, run.count});
      source.first += shift;
      const Progression target = intersection(source, to[k]);
      if (target.count == 0) continue;
      for (Moved m : all) {
        m.to.push_back(target);
        m.from.push_back({target.first - shift, target.step, target.count});
        longer.push_back(std::move(m));
      }
    }
    all = std::move(longer);
  }
  return all;
}

// One message to every rank that shares anything, to ranks i+1, i+2, ...
class Emitter {
 public:
  Emitter(int rank, const Layout& from, const Layout& to, bool messages, bool real)
      : me_(rank), had_(from.owned(rank)), wanted_(to.owned(rank)), messages_(messages), real_(real) {
    schedule_.sizes = {from.local_size(rank), to.local_size(rank), 0, 0};
  }

  void send(int peer, const std::vector<Moved>& blocks) { list(sent_, Buffer::work, peer, blocks); }
  void receive(int peer, const std::vector<Moved>& blocks) { list(received_, Buffer::inbox, peer, blocks); }
  RankSchedule run(const std::vector<Moved>& kept);

 private:
  struct Message {
    int peer;
    std::vector<Moved> blocks;
    Index at;
    int start = -1;
  };

  void list(std::vector<Message>& messages, Buffer buffer, int peer, const std::vector<Moved>& blocks) {
    const Index count = words(count_of(blocks), real_ ? Data::real_ : Data::complex_);
    Index& size = schedule_.sizes[static_cast<std::size_t>(buffer)];
    if (count > 0) messages.push_back({peer, blocks, size});
    size += count;
  }
  Range range(Buffer buffer, const Message& m) const {
    return {.buffer = buffer, .offset = (real_ ? 2 : 1) * m.at, .count = count_of(m.blocks), .real = real_};
  }
  std::vector<Step> pack(const Message& m) const;
  std::vector<Step> unpack(const Message& m, int arrived) const;

  const int me_;
  const Block had_, wanted_;
  const bool messages_, real_;
  RankSchedule schedule_;
  std::vector<Message> sent_, received_;
};

std::vector<Step> Emitter::pack(const Message& m) const {
  std::vector<Step> steps;
  Index at = (real_ ? 2 : 1) * m.at;
  for (const Moved& block : m.blocks) {
    steps.push_back(copy(block.from, place_in(had_, {}, block.from), packed(block.from, at), real_));
    steps.back().pass.targets[0].buffer = Buffer::work;
    at += count_of(block.from);
  }
  return steps;
}

std::vector<Step> Emitter::unpack(const Message& m, int arrived) const {
  std::vector<Step> steps;
  Index at = 0;
  for (const Moved& block : m.blocks) {
    steps.push_back(copy(block.to, packed(block.to, at), place_in(wanted_, {}, block.to), real_));
    steps.back().pass.sources[0].recv = arrived;
    steps.back().pass.scaled = true;
    at += count_of(block.to);
  }
  return steps;
}

RankSchedule Emitter::run(const std::vector<Moved>& kept) {
  if (!messages_) schedule_.sizes[static_cast<std::size_t>(Buffer::inbox)] = 0;
  TaskList tasks(me_, schedule_.sizes);
  for (Message& m : received_) {
    const Range landing = messages_ ? range(Buffer::inbox, m) : Range{.buffer = Buffer::inbox, .real = real_};
    m.start = tasks.recv_start(m.peer, 0, 0, count_of(m.blocks), landing, {});
  }
  for (Message& m : sent_) {
    const int made = tasks.compute("pack", 0, pack(m), {});
    m.start = tasks.send_start(m.peer, 0, 0, range(Buffer::work, m), {made});
  }
  for (const Moved& block : kept) {
    Step step = copy(block.from, place_in(had_, {}, block.from), place_in(wanted_, {}, block.to), real_);
    step.pass.scaled = true;
    tasks.compute("unpack", 0, {step}, {});
  }
  for (const Message& m : received_) {
    const int arrived = tasks.finish(m.start);
    tasks.compute("unpack", 0, unpack(m, arrived), {arrived});
  }
  for (const Message& m : sent_) tasks.finish(m.start);
  RankSchedule schedule = tasks.take();
  schedule.data_in = schedule.data_out = real_ ? Data::real_ : Data::complex_;
  return schedule;
}

RankSchedule RegridPlan::rank_schedule(int rank, Direction direction) const {
  const bool forward = direction == Direction::forward;
  const Layout from = forward ? layout_in() : layout_out(), to = forward ? layout_out() : layout_in();
  const Block had = from.owned(rank), wanted = to.owned(rank);
  Emitter emitter(rank, from, to, options().exchange == Exchange::messages, data_in() == Data::real_);
  const int ranks = from.ranks();
  for (int step = 1; step < ranks; ++step) {
    const int next = (rank + step) % ranks, previous = (rank + ranks - step) % ranks;
    emitter.send(next, shared(had, to.owned(next), direction));
    emitter.receive(previous, shared(from.owned(previous), wanted, direction));
  }
  return emitter.run(shared(had, wanted, direction));
}

}  // namespace

std::unique_ptr<Plan> plan_regrid(const Layout& from, const Layout& to, IndexRuns runs, Data data,
                                  const PlanOptions& asked) {
  require(from.ranks() == to.ranks(), "cannot copy from {} ranks to {} (give both layouts the same)", from.ranks(),
          to.ranks());
  require(from.shape().size() == to.shape().size() && runs.size() == from.shape().size(),
          "cannot copy an array of {} into one of {} (give both the same number of dimensions)", text(from.shape()),
          text(to.shape()));
  PlanOptions options = asked;
  options.route = "regrid";
  options.placement = Placement::out_of_place;
  return std::make_unique<RegridPlan>(from, to, std::move(runs), data, options);
}

}  // namespace kallima
