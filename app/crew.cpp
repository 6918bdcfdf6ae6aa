// Under mpirun the job is joined before anything else happens, even reading the command line, so that ranks that were
// told different things find out together instead of waiting for one another.

#include "app/crew.hpp"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "app/check.hpp"
#include "app/process.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

std::uint64_t hash(const std::vector<std::string>& texts) {  // FNV-1a, the same on every machine
  std::uint64_t h = 14695981039346656037u;
  for (const std::string& text : texts)
    for (const char c : text + '\0') h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

}  // namespace

int core_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Crew::Crew(int argc, char** argv) : arguments_(argv + 1, argv + std::max(argc, 1)) {
  if (!MpiWorld::launched()) return;
  // The communicator comes before the command line is understood, and only these words concern it.
  const bool messages = std::find(arguments_.begin(), arguments_.end(), "--messages") != arguments_.end();
  const bool doctor = !arguments_.empty() && arguments_[0] == "doctor";  // which tries a progress thread
  const MpiWorldOptions options{
      .shared_windows = !messages, .tuning = value_of("--tuning").value_or(""), .threads = doctor};
  mpi_ = std::make_unique<MpiWorld>(options);
  job_ = std::make_unique<Comm>(mpi_->comm(options));
}

std::optional<std::string> Crew::value_of(const std::string& flag) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i] == flag && i + 1 < arguments_.size()) return arguments_[i + 1];
    if (arguments_[i].starts_with(flag + "=")) return arguments_[i].substr(flag.size() + 1);
  }
  return std::nullopt;
}

Crew::~Crew() = default;

bool Crew::speaks() const { return !job_ || job_->rank() == 0; }

void Crew::agree_on_arguments() {
  if (job_) agree(job_->transport(), hash(arguments_), "the command line");
}

void Crew::run(const RunFlags& flags, const std::function<void(Comm)>& body) {
  if (job_) {
    check_flags_under_mpi(flags);
    return body(*job_);
  }
  const int ranks = flags.ranks > 0 ? flags.ranks : core_count();
  if (flags.transport == "mpi") run_mpirun(ranks);
  try {
    tuned(flags.tuning);  // which threads have no use for, but a mistake in it is one anywhere
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  run_threads(ranks, body);
}

void Crew::check_flags_under_mpi(const RunFlags& flags) const {
  if (flags.transport == "threads")
    throw UsageError(
        fmt::format("--transport threads is of no use here (mpirun has started {} processes, each would do "
                    "all of the work) leave out one of the two",
                    job_->size()));
  if (flags.ranks != 0 && flags.ranks != job_->size())
    throw UsageError(fmt::format("--ranks {} does not fit (mpirun has started {} processes) leave out --ranks",
                                 flags.ranks, job_->size()));
}

// Launchers differ in what they make of a signal, MPICH's even in whether they exit with 0 when all ranks died of it,
// so this process stays and remembers.
void Crew::run_mpirun(int ranks) {
  require(MpiWorld::available(),
          "there is no MPI in this build (none was found when it was made) use --transport threads");
  std::vector<std::string> command = MpiWorld::launcher(ranks);
  command.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  const SignalWatch signals;
  std::exit(run_job(command, signals, JobOutput::inherit, [] {}).status);
}

void Crew::will_exit_with(int code) {
  if (mpi_) mpi_->will_exit_with(code);
}

Comm Crew::with_tuning(const Comm& comm, const Tuning& tuning) {
  return mpi_ ? mpi_->comm({.shared_windows = false, .exactly = tuning}) : comm;
}

Comm Crew::first(int ranks, Exchange exchange) {
  require(mpi_ != nullptr, "there is no MPI job to take {} ranks of", ranks);
  return mpi_->first(ranks, {.shared_windows = exchange == Exchange::views});
}

void Crew::abandon(const std::string& why) {
  if (job_) job_->transport().abort(why);
  fmt::print(stderr, "kallima: {}\n", why);
  std::exit(1);
}

}  // namespace kallima::cli
