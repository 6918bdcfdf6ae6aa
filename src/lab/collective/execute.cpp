// Running a collective: the rank's own schedule is made, compiled and run once. As in Fft, whatever can fail does so on
// all ranks together, before any message is under way.

#include <functional>
#include <optional>

#include "base/check.hpp"
#include "execute/executor.hpp"
#include "kallima/collective.hpp"
#include "kallima/comm.hpp"
#include "kallima/memory.hpp"

namespace kallima {
namespace {

void agree_on(Transport& transport, const Collective& c) {
  const std::string text = fmt::format("{} of {} words on {} ranks, packets of {}, startup {}, exchange {}", c.name,
                                       c.words, c.ranks, c.packet, c.startup, static_cast<int>(c.exchange));
  agree(transport, std::hash<std::string>()(text), fmt::format("the collective's arguments ({} here)", text));
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
  using Complex = std::complex<T>;
  agree_on(comm.transport(), asked);
  const std::unique_ptr<Transport> transport = comm.transport().duplicate();
  Collective c = asked;
  if (!transport->all_views()) c.exchange = Exchange::messages;
  std::optional<Program<T>> program;
  Array<Complex> tile, inbox;
  together(*transport, [&] {
    check(*transport, c, in, out);
    program.emplace(collective_schedule(c, transport->rank()), Direction::forward, Effort::estimate);
    tile = Array<Complex>(program->tile_elements());
    inbox = Array<Complex>(program->schedule().size(Buffer::inbox));
  });
  const auto work =
      transport->allocate(static_cast<std::size_t>(program->schedule().size(Buffer::work)) * sizeof(Complex));
  // A schedule only reads `in`, so that casting it to non-const never leads to a write.
  const Workspace<T> workspace{
      {const_cast<Complex*>(in.data()), out.data(), reinterpret_cast<Complex*>(work->bytes().data()), inbox.data()},
      tile.span()};
  try {
    execute<T>(*program, *transport, workspace, {.trace = trace});
  } catch (const std::exception& error) {  // the others would wait for this rank's messages
    if (transport->survives_exceptions()) throw;
    transport->abort(error.what());
  }
}

template void run_collective<float>(const Comm&, const Collective&, std::span<const std::complex<float>>,
                                    std::span<std::complex<float>>, Trace*);
template void run_collective<double>(const Comm&, const Collective&, std::span<const std::complex<double>>,
                                     std::span<std::complex<double>>, Trace*);

}  // namespace kallima
