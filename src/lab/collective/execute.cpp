// Running a collective: the rank's own schedule is made and executed once. Whatever can fail does so on all ranks
// together, before any message is under way.

#include "kallima/execute.hpp"

#include "base/check.hpp"
#include "kallima/collective.hpp"

namespace kallima {
namespace {

void agree_on(Transport& transport, const Collective& c) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  agree(transport, {{"name", c.name},
                    {"words", number(c.words)},
                    {"ranks", number(c.ranks)},
                    {"packet", number(c.packet)},
                    {"startup", number(c.startup)},
                    {"exchange", c.exchange == Exchange::views ? "views" : "messages"}});
}

// Where all ranks have agreed on the collective and every one checks its own arrays.
template <class T>
void check(const Transport& transport, const Collective& c, std::span<const std::complex<T>> in,
           std::span<std::complex<T>> out) {
  require(c.ranks == transport.size(), "the collective is for {} ranks but the communicator has {}: give it the same",
          c.ranks, transport.size());
  const auto needs = [&](const char* name, std::size_t has, Index wants) {
    require(static_cast<Index>(has) == wants,
            "array '{}' has {} elements on rank {}, but {} of {} words needs {} there", name, has, transport.rank(),
            c.name, c.words, wants);
  };
  needs("in", in.size(), collective_in(c, transport.rank()));
  needs("out", out.size(), collective_out(c, transport.rank()));
  require(in.data() >= out.data() + out.size() || out.data() >= in.data() + in.size(),
          "arrays 'in' and 'out' overlap (a collective leaves its input as it was): pass separate ones");
}

}  // namespace

template <class T>
void run_collective(const Comm& comm, const Collective& asked, std::span<const std::complex<T>> in,
                    std::span<std::complex<T>> out, Trace* trace) {
  agree_on(comm.transport(), asked);
  Collective c = asked;
  if (!comm.transport().all_views()) c.exchange = Exchange::messages;
  RankSchedule mine;
  together(comm.transport(), [&] {
    check(comm.transport(), c, in, out);
    mine = collective_schedule(c, comm.rank());
  });
  const Precision precision = std::is_same_v<T, float> ? Precision::single_ : Precision::double_;
  execute(mine, Direction::forward, comm, std::as_bytes(in), std::as_writable_bytes(out),
          {.backend = cpu_backend(precision), .trace = trace});
}

template void run_collective<float>(const Comm&, const Collective&, std::span<const std::complex<float>>,
                                    std::span<std::complex<float>>, Trace*);
template void run_collective<double>(const Comm&, const Collective&, std::span<const std::complex<double>>,
                                     std::span<std::complex<double>>, Trace*);

}  // namespace kallima
