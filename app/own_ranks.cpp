#include "app/own_ranks.hpp"

#include <filesystem>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/progress.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

TemporaryFile::TemporaryFile()
    : name_(temporary_name((std::filesystem::temp_directory_path() / "kallima.json").string(), random_token())) {}

TemporaryFile::~TemporaryFile() {
  std::error_code nothing_to_remove;
  std::filesystem::remove(name_, nothing_to_remove);
}

std::string json_of_own_ranks(int ranks, const Arguments& command, const std::string& what) {
  const TemporaryFile answer;
  Arguments all = MpiWorld::launcher(ranks);
  all.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  all.insert(all.end(), command.begin(), command.end());
  all.insert(all.end(), {"--json", answer.name()});
  const SignalWatch signals;
  Progress progress(true);
  progress.step(what);
  const Outcome outcome = run_job(all, signals, JobOutput::capture, [] {});
  require(outcome.status == 0, "kallima {} on {} processes of MPI ended with {}: {}", command.front(), ranks,
          outcome.status, outcome.err);
  return read_text(answer.name());
}

}  // namespace kallima::cli
