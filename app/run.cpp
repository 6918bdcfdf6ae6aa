// `kallima run`: a schedule from a file, proved and then executed on an array from another.

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/array_part.hpp"
#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "app/schedule_file.hpp"
#include "bench/collect.hpp"
#include "kallima/execute.hpp"
#include "kallima/file.hpp"
#include "kallima/job.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

struct ScheduleRunFlags {
  RunFlags run;
  std::string schedule;
  std::string in;
  std::string out;
  std::string trace;
  std::shared_ptr<const Schedule> known = {};  // read before there were ranks
};

constexpr const char* run_examples = R"(Examples:
  kallima explain --shape 64x48 --ranks 4 --schedule s.json        what every rank would do
  kallima run --schedule s.json --in x.npy --out X.npy             does it, on 4 threads
  kallima run --schedule s.json --in x.npy --out X.npy --transport mpi
  mpirun -n 4 kallima run --schedule s.json --in x.npy --out X.npy the same
Edit the file as you like: whatever it says is proved to be right before anything runs, or refused with the reason.)";

// What a file must hold at one end of the schedule.
struct FileEnd {
  Shape shape;
  Layout layout;
  ArrayHeader header;
};

FileEnd end_of(const Schedule& schedule, Buffer buffer) {
  const Purpose& it = *schedule.purpose;
  const RankSchedule& first = schedule.ranks[0];
  const bool in = buffer == Buffer::in;
  const Shape& shape = in ? it.shape_in : it.shape_out;
  const bool real = (in ? first.data_in : first.data_out) == Data::real_;
  return {shape,
          layout_from_text(in ? it.layout_in : it.layout_out, shape, static_cast<int>(schedule.ranks.size())),
          {.data = real ? Data::real_ : Data::complex_, .precision = it.precision, .shape = shape}};
}

void check_input(const ArrayHeader& has, const FileEnd& needs, const std::string& path) {
  require(has.shape == needs.shape,
          "{} has shape ({}) (the schedule is for ({})) use another array or another schedule", path,
          fmt::join(has.shape, ", "), fmt::join(needs.shape, ", "));
  require(dtype_text(has) == dtype_text(needs.header),
          "{} holds {} (the schedule is for {}) save x.astype('{}') or make another schedule", path, dtype_text(has),
          dtype_text(needs.header), dtype_text(needs.header));
  require(has.order == ArrayOrder::c, "{} is in Fortran order (layouts are of arrays in C order) save it in C order",
          path);
}

// A schedule that is proved, and files that fit it, on every rank alike.
struct ScheduleJob {
  std::shared_ptr<const Schedule> schedule;
  ArrayHeader header;
};

std::shared_ptr<const Schedule> read_schedule(const std::string& path) {
  return std::make_shared<const Schedule>(checked_schedule(read_text(path), path));
}

void check_schedule(const ScheduleRunFlags& flags, const Schedule& it, const Transport& transport) {
  require(it.purpose.has_value(),
          "{} does not say what it is for (it has no `purpose` with shapes and layouts) make it with kallima explain",
          flags.schedule);
  require(it.purpose->precision != Precision::long_double,
          "{} is in long double precision (.npy files of that differ between machines) use double", flags.schedule);
  require(static_cast<int>(it.ranks.size()) == transport.size(), "{} is for {} ranks (there are {}) use --ranks {}",
          flags.schedule, it.ranks.size(), transport.size(), it.ranks.size());
}

ScheduleJob prepare(const ScheduleRunFlags& flags, const Comm& comm) {
  ScheduleJob job;
  job.header = array_header(comm.transport(), flags.in);
  together(comm.transport(), [&] {
    job.schedule = flags.known ? flags.known : read_schedule(flags.schedule);
    check_schedule(flags, *job.schedule, comm.transport());
    check_input(job.header, end_of(*job.schedule, Buffer::in), flags.in);
    const ArrayHeader result = end_of(*job.schedule, Buffer::out).header;
    check_array_target(flags.out, array_element_count(result) * item_bytes(result));
    if (!flags.trace.empty()) check_writable(flags.trace, 0);
  });
  if (!flags.known)
    agree(comm.transport(), std::hash<std::string>{}(to_json(*job.schedule)), "the schedule in " + flags.schedule);
  return job;
}

struct Seconds {
  double read = 0;
  double run = 0;
  double write = 0;
};

void report(const ScheduleRunFlags& flags, const ScheduleJob& job, const Comm& comm, const Seconds& s, Trace trace) {
  const FileEnd in = end_of(*job.schedule, Buffer::in), out = end_of(*job.schedule, Buffer::out);
  fmt::print(report_to(flags.run), "{} -> {}: schedule '{}' of {} ({}) to {} ({}), proved\n", flags.in, flags.out,
             job.schedule->name, text(in.shape), dtype_text(in.header), text(out.shape), dtype_text(out.header));
  fmt::print(report_to(flags.run), "{} rank(s), transport {}: read {:.3f} s, ran {:.3f} s, wrote {:.3f} s\n",
             comm.size(), comm.transport().name(), s.read, s.run, s.write);
  const nlohmann::ordered_json json = {
      {"schedule", flags.schedule}, {"name", job.schedule->name},           {"in", flags.in},   {"out", flags.out},
      {"ranks", comm.size()},       {"transport", comm.transport().name()}, {"read_s", s.read}, {"run_s", s.run},
      {"write_s", s.write}};
  write_json(flags.run, json.dump(2));
  if (flags.trace.empty()) return;
  add_library(trace);
  write_text(flags.trace, to_perfetto_json(trace));
}

void run_schedule(const ScheduleRunFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  const ScheduleJob job = prepare(flags, comm);
  const FileEnd from = end_of(*job.schedule, Buffer::in), to = end_of(*job.schedule, Buffer::out);
  const Index bytes_in = from.layout.local_size(comm.rank()) * item_bytes(from.header);
  const Index bytes_out = to.layout.local_size(comm.rank()) * item_bytes(to.header);
  const bool in_place = job.schedule->aliasing == Aliasing::in_is_out;
  const Index bytes_first = in_place ? std::max(bytes_in, bytes_out) : bytes_in;
  const Index bytes_second = in_place ? 0 : bytes_out;
  check_memory(transport, bytes_first + bytes_second);
  Array<std::byte> first, second;
  together(transport, [&] {
    first = Array<std::byte>(bytes_first);
    second = Array<std::byte>(bytes_second);
  });
  const auto in = first.span().first(static_cast<std::size_t>(bytes_in));
  const auto out = (in_place ? first : second).span().first(static_cast<std::size_t>(bytes_out));
  Seconds s;
  Trace trace;
  s.read = seconds_of(transport, [&] { read_array_part(transport, flags.in, job.header, from.layout, in); });
  const Purpose& purpose = *job.schedule->purpose;
  ExecuteOptions options{.backend = cpu_backend(purpose.precision),
                         .scale = purpose.scale,
                         .trace = flags.trace.empty() ? nullptr : &trace};
  const RankSchedule& mine = job.schedule->ranks[static_cast<std::size_t>(comm.rank())];
  const Array<std::byte> kept = prepared(*job.schedule, comm, options);
  options.kept = kept.span();
  s.run = seconds_of(transport, [&] { execute(mine, job.schedule->direction, comm, in, out, options); });
  s.write = seconds_of(transport,
                       [&] { write_array_part(transport, flags.out, to.header, to.layout, out, flush_of(flags.run)); });
  if (!flags.trace.empty()) trace = gather(comm, trace);
  together(transport, [&] {
    if (comm.rank() == 0) report(flags, job, comm, s, std::move(trace));
  });
}

}  // namespace

void add_run(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<ScheduleRunFlags>();
  CLI::App* const app = program.add_subcommand("run", "Proves a schedule from a file and runs it on an array");
  app->footer(run_examples);
  app->add_option("--schedule", flags->schedule, "What every rank does (JSON), as kallima explain --schedule writes it")
      ->required()
      ->type_name("FILE");
  app->add_option("--in", flags->in, "The array it works on")->required()->type_name("FILE.npy");
  app->add_option("--out", flags->out, "Where the result goes")->required()->type_name("FILE.npy");
  app->add_option("--ranks", flags->run.ranks, "How many; default: as many as the schedule has")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app->add_option("--transport", flags->run.transport,
                  "threads (default): ranks are threads of this process; mpi: starts mpirun itself if need be")
      ->check(CLI::IsMember({"threads", "mpi"}));
  app->add_option("--trace", flags->trace, "Write what ran when; open it in ui.perfetto.dev")->type_name("FILE");
  add_sync_flag(*app, flags->run);
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (!MpiWorld::launched()) {
      flags->known = read_schedule(flags->schedule);
      if (flags->run.ranks == 0) flags->run.ranks = static_cast<int>(flags->known->ranks.size());
    }
    crew.run(flags->run, [&](const Comm& comm) { run_schedule(*flags, comm); });
  });
}

}  // namespace kallima::cli
