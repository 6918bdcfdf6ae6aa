#include "kallima/execute.hpp"

#include <optional>

#include "base/check.hpp"
#include "execute/pipeline.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

void check_array(const RankSchedule& schedule, Buffer b, std::size_t has, bool shared, const Element& element) {
  const std::size_t wants = buffer_bytes(schedule, b, element);
  require(has == wants || (shared && has > wants),
          "array '{}' has {} bytes on rank {}, but the schedule's {} elements of {} take {}", name(b), has,
          schedule.rank, schedule.size(b), element.name, wants);
}

bool applies(const std::vector<Step>& steps) {
  bool any = false;
  checks::visit_passes(steps, [&](const Pass& pass) { any = any || pass.action == Action::apply; });
  return any;
}

void check(const RankSchedule& schedule, const Transport& transport, std::span<const std::byte> in,
           std::span<std::byte> out, std::span<const std::byte> kept, const Element& element) {
  require(schedule.rank == transport.rank(), "the schedule is rank {}'s, but this is rank {}: give each its own",
          schedule.rank, transport.rank());
  const bool shared = in.data() == out.data();
  check_array(schedule, Buffer::in, in.size(), shared, element);
  check_array(schedule, Buffer::out, out.size(), shared, element);
  check_array(schedule, Buffer::kept, kept.size(), false, element);
  require(shared || in.data() >= out.data() + out.size() || out.data() >= in.data() + in.size(),
          "arrays 'in' and 'out' overlap but do not begin together: pass the same array or separate ones");
  for (const Task& task : schedule.tasks) {
    require(task.peer < transport.size(), "task {} exchanges with rank {} (there are {})", task.label, task.peer,
            transport.size());
    require(!applies(task.steps), "task {} applies a function of the caller's (a schedule alone has none): use apply()",
            task.label);
    const bool lands = task.kind != TaskKind::recv_start || task.range.count > 0 || task.elements == 0;
    require(lands || transport.sees(task.peer),
            "a message from rank {} has nowhere to land (the schedule reads other ranks' memory, which not all can see "
            "here): plan for an exchange by messages",
            task.peer);
  }
}

}  // namespace

std::unique_ptr<Transport> Backend::carrier(std::unique_ptr<Transport> transport) const { return transport; }

void execute(const RankSchedule& schedule, Direction direction, const Comm& comm, std::span<const std::byte> in,
             std::span<std::byte> out, const ExecuteOptions& options) {
  static const std::string* const call = call_name("executing a schedule");
  comm.transport().announce({call});
  const auto backend = options.backend ? options.backend : cpu_backend(Precision::double_);
  const std::unique_ptr<Transport> transport = backend->carrier(comm.transport().duplicate());
  std::optional<Program> program;
  together(*transport, [&] {
    check(schedule, *transport, in, out, options.kept, backend->element());
    program.emplace(schedule, backend, direction, options.effort);
  });
  agree_on_messages(*transport, {&*program});
  Pipeline pipeline(*transport, backend, program->bytes(Buffer::work), largest_of_all(*transport, program->tags()));
  pipeline.add_slot();
  together(*transport, [&] { pipeline.reserve(0, *program); });
  guarded(*transport, [&] {
    auto* const kept = const_cast<std::byte*>(options.kept.data());  // which is only read
    pipeline.begin(0, *program, in.data(), out.data(), {.scale = options.scale, .kept = kept, .trace = options.trace});
    pipeline.finish(0);
  });
}

Array<std::byte> prepared(const Schedule& schedule, const Comm& comm, const ExecuteOptions& options) {
  if (schedule.preparation.empty()) return {};
  const RankSchedule& mine = schedule.preparation[at(comm.rank())];
  const auto backend = options.backend ? options.backend : cpu_backend(Precision::double_);
  Array<std::byte> kept;
  together(comm.transport(),
           [&] { kept = Array<std::byte>(static_cast<Index>(buffer_bytes(mine, Buffer::out, backend->element()))); });
  execute(mine, Direction::forward, comm, {}, kept.span(), {.backend = backend, .effort = options.effort});
  return kept;
}

void execute(const Schedule& schedule, const Comm& comm, std::span<const std::byte> in, std::span<std::byte> out,
             const ExecuteOptions& options) {
  together(comm.transport(), [&] {
    require(static_cast<int>(schedule.ranks.size()) == comm.size(),
            "the schedule {} is for {} ranks but the communicator has {}: run it on as many", schedule.name,
            schedule.ranks.size(), comm.size());
    const Aliasing aliasing = in.data() == out.data() ? Aliasing::in_is_out : Aliasing::separate;
    require(aliasing == Aliasing::in_is_out || schedule.aliasing == Aliasing::separate,
            "the schedule {} works in place, but rank {} has two arrays: pass one, as long as the longer of them",
            schedule.name, comm.rank());
    if (comm.rank() == 0) validate(schedule, aliasing);
  });
  const RankSchedule& mine = schedule.ranks[at(comm.rank())];
  const Array<std::byte> kept = prepared(schedule, comm, options);
  ExecuteOptions with = options;
  with.kept = kept.span();
  execute(mine, schedule.direction, comm, in, out, with);
}

}  // namespace kallima
