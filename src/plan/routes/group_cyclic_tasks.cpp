// The tasks of one rank of a group-cyclic plan: superstep 0 transforms the rank's own points, each later one combines
// the groups of several ranks into one. With cycle c rank s is member s mod c of group s div c, and the group holds the
// transform of the points whose index is bitrev(group) modulo p/c, so that one constant per rank and superstep makes
// all its twiddle factors: they are multiplied onto the outputs, before these travel, and a superstep is one pass over
// memory. (Bisseling's butterflies have them inside, which gives the same products in another order.)

#include "base/bits.hpp"
#include "plan/routes/group_cyclic.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

class Emitter {
 public:
  Emitter(const GroupCyclic& g, const PlanOptions& options, int rank)
      : g_(g),
        me_(rank),
        messages_(options.exchange == Exchange::messages),
        data_(options.placement == Placement::in_place ? Buffer::out : Buffer::in),
        tasks_(rank, {g.m, g.m, g.last() * g.m, messages_ ? g.last() * g.m : 0}),
        recv_start_(static_cast<std::size_t>(g.last())) {}

  RankSchedule run();

 private:
  Index number(int superstep) const { return superstep == 0 ? bit_reversed(me_, g_.p) : me_; }
  Index group(int superstep) const { return number(superstep) / g_.cycle(superstep); }
  Index member(int superstep) const { return number(superstep) % g_.cycle(superstep); }
  int destination(int exchange, Index d) const;
  int source(int exchange, Index b) const;
  Index block(int exchange) const { return g_.m / g_.radix(exchange + 1); }
  // Every exchange has an area of its own: there are several only where a rank holds few points.
  Range slot(int exchange, Index i) const {
    return {Buffer::work, exchange * g_.m + i * block(exchange), block(exchange)};
  }

  void post_receives(int exchange);
  int superstep(int s, int previous);
  std::vector<Piece> gather(int s, std::vector<int>& after);
  std::vector<Piece> scatter(int s) const;
  void send(int exchange, int after);

  const GroupCyclic& g_;
  const int me_;
  const bool messages_;
  const Buffer data_;
  TaskList tasks_;
  std::vector<std::vector<int>> recv_start_;  // [exchange][source]
  std::vector<int> send_start_;
};

RankSchedule Emitter::run() {
  for (int exchange = 0; exchange < g_.last(); ++exchange) post_receives(exchange);
  int done = -1;
  for (int s = 0; s <= g_.last(); ++s) {
    done = superstep(s, done);
    if (s < g_.last()) send(s, done);
  }
  for (const int start : send_start_) tasks_.finish(start);
  return tasks_.take();
}

// Who gets our outputs d, d + radix, ...: `radix` groups of cycle c become one, and these have its members' indices.
int Emitter::destination(int exchange, Index d) const {
  const Index next = group(exchange) / g_.radix(exchange + 1);
  return static_cast<int>(next * g_.cycle(exchange + 1) + d * g_.cycle(exchange) + member(exchange));
}

// Who sends us what they have, from group b of those that become ours. The first exchange undoes the reversal.
int Emitter::source(int exchange, Index b) const {
  const Index c = g_.cycle(exchange);
  const Index from = (group(exchange + 1) * g_.radix(exchange + 1) + b) * c + member(exchange + 1) % c;
  return static_cast<int>(exchange == 0 ? bit_reversed(from, g_.p) : from);
}

void Emitter::post_receives(int exchange) {
  for (Index b = 0; b < g_.radix(exchange + 1); ++b) {
    const int from = source(exchange, b);
    Range landing = slot(exchange, b);
    landing.buffer = Buffer::inbox;
    if (!messages_) landing = {Buffer::inbox, 0, 0};
    recv_start_[static_cast<std::size_t>(exchange)].push_back(
        from == me_ ? -1 : tasks_.recv_start(from, exchange, 0, block(exchange), landing, {}));
  }
}

// Lines of `radix` points, one of each group that is joined; line i is what these hold in place i of their blocks.
int Emitter::superstep(int s, int previous) {
  std::vector<int> after;
  if (previous >= 0) after.push_back(previous);
  Step step;
  step.pass.length = g_.radix(s);
  step.pass.loops = {g_.m / g_.radix(s)};
  step.pass.sources = gather(s, after);
  step.pass.targets = scatter(s);
  step.pass.scaled = s == g_.last();
  if (s < g_.last())
    step.pass.twiddle = {.modulus = g_.n / g_.cycle(s), .shift = bit_reversed(group(s), g_.p / g_.cycle(s))};
  return tasks_.compute("superstep " + std::to_string(s), 0, {step}, std::move(after));
}

std::vector<Piece> Emitter::gather(int s, std::vector<int>& after) {
  if (s == 0) return {{.buffer = data_, .count = g_.m, .strides = {1}}};
  std::vector<Piece> sources;
  const int exchange = s - 1;
  for (Index b = 0; b < g_.radix(s); ++b) {
    Piece piece{.buffer = Buffer::work, .first = bit_reversed(b, g_.radix(s)), .strides = {1}};
    const int start = recv_start_[static_cast<std::size_t>(exchange)][static_cast<std::size_t>(b)];
    if (start < 0)
      piece.offset = slot(exchange, member(s) / g_.cycle(exchange)).offset;
    else
      after.push_back(piece.recv = tasks_.finish(start));
    sources.push_back(piece);
  }
  return sources;
}

// Destination by destination, since a message is a range; the last superstep leaves its outputs in cyclic order.
std::vector<Piece> Emitter::scatter(int s) const {
  if (s == g_.last())
    return {{.buffer = Buffer::out, .count = g_.radix(s), .stride = g_.m / g_.radix(s), .strides = {1}}};
  std::vector<Piece> targets;
  const Index radix = g_.radix(s + 1);
  for (Index d = 0; d < radix; ++d)
    targets.push_back({.buffer = Buffer::work,
                       .offset = slot(s, d).offset,
                       .first = d,
                       .count = block(s),
                       .every = radix,
                       .strides = {1}});
  return targets;
}

// At every step the ranks of the groups that are joined send to different ones; the own block is the first step's, but
// for the first exchange of several. Which of the joined groups is ours stands in the higher bits while these are
// reversed, in the lower ones later.
void Emitter::send(int exchange, int after) {
  const Index radix = g_.radix(exchange + 1);
  const Index seat = exchange == 0 ? me_ / (g_.p / radix) : group(exchange) % radix;
  for (Index step = 0; step < radix; ++step) {
    const Index d = seat ^ step;
    const int to = destination(exchange, d);
    if (to != me_) send_start_.push_back(tasks_.send_start(to, exchange, 0, slot(exchange, d), {after}));
  }
}

}  // namespace

RankSchedule group_cyclic_tasks(const GroupCyclic& g, const PlanOptions& options, int rank) {
  return Emitter(g, options, rank).run();
}

}  // namespace kallima
