// The program `kallima`: reads the command line, hands over to a subcommand and turns whatever goes wrong into one
// message and an exit code: 2 where the command line is at fault, 1 where the work could not be done.

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <new>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/did_you_mean.hpp"
#include "app/lab_mpi.hpp"
#include "bench/fftw_build.hpp"
#include "kallima/array_file.hpp"
#include "kallima/backend.hpp"
#include "kallima/job.hpp"

namespace {

using namespace kallima;
using namespace kallima::cli;

constexpr const char* main_examples = R"(Examples:
  kallima demo                                         see it work on this machine
  kallima fft x.npy X.npy                              as numpy.fft.fftn
  kallima fft X.npy x.npy --inverse                    and back
  kallima bench --shape 256x256x256 --against fftw     how fast, and how much faster
  kallima bench --shape 256x256x256 --ranks 2 --transport mpi
  kallima multiply --a a.txt --b b.txt --out c.txt     integers of any length, exactly
  kallima sort --in x.npy --out y.npy                  numbers, on as many ranks as there are
  kallima explain --shape 1024x1024x1024 --ranks 1024  which way it would go, and why
  kallima explain --shape 64x64 --ranks 4 --schedule s.json    the same as a file that can be read, edited,
  kallima run --schedule s.json --in x.npy --out X.npy         and run
  kallima simulate --schedule output-driven --n 1024 --p 8 --machine logp:L=5,o=0,g=5
  kallima draw --schedule simple,output-driven --machine logp:L=5,o=0,g=8 --out hiding.svg
  kallima theory sahay                                 what the papers say, and whether it is so
  kallima netlab --hosts 4 --rate 1gbit -- bench       on a network that is not there
  kallima hide --ranks 2                               how much of the exchange disappears
  kallima doctor --transport mpi                       what this MPI does while a rank computes)";

std::string version() {
  return fmt::format("kallima {} ({}, {}, {} of {}; files {})", KALLIMA_VERSION, title(fftw_build(Precision::double_)),
                     MpiWorld::available() ? MpiWorld::library() : "without MPI", instruction_set(),
                     fmt::join(instruction_sets(), ", "), formats_text());
}

// No file has an empty name, which is what an unset variable in a script leaves of one.
void want_names_of_files(CLI::App& command) {
  const CLI::Validator named([](std::string& name) { return name.empty() ? "the name of the file is empty" : ""; }, "");
  for (CLI::Option* const option : command.get_options())
    if (option->get_type_name().find("FILE") != std::string::npos) option->check(named);
  for (CLI::App* const inner : command.get_subcommands({})) want_names_of_files(*inner);
}

std::vector<std::string> words_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  for (const CLI::App* const inner : command.get_subcommands({})) words.push_back(inner->get_name());
  return words;
}

// Of words that nobody wanted, a flag if there is one: the others are often its values.
std::string first_unknown(const std::vector<std::string>& words) {
  const auto flag = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("--"); });
  const std::string word = flag != words.end() ? *flag : words.empty() ? "" : words[0];
  return word.substr(0, word.find('='));
}

std::string not_understood(const std::string& word, const CLI::App& command, const std::string& name) {
  return fmt::format("{} is not understood in the arguments of {}{} see {} --help", word, name,
                     did_you_mean(word, words_of(command)), name);
}

void run(int argc, char** argv, Crew& crew) {
  CLI::App program("Distributed FFTs that exchange data once and hide the exchange behind computation.", "kallima");
  program.footer(main_examples);
  program.set_version_flag("--version", version);
  program.require_subcommand(0, 1);
  add_fft(program, crew);
  add_bench(program, crew);
  add_redistribute(program, crew);
  add_multiply(program, crew);
  add_sort(program, crew);
  add_demo(program, crew);
  add_explain(program, crew);
  add_run(program, crew);
  add_simulate(program, crew);
  add_machines(program, crew);
  add_draw(program, crew);
  add_theory(program, crew);
  add_netlab(program, crew);
  add_hide(program, crew);
  add_calibrate(program, crew);
  add_predict(program, crew);
  add_doctor(program, crew);
  add_fuzz(program, crew);
  program.add_subcommand("test", "Runs the whole test suite; the launcher ./kallima does that")
      ->prefix_command()
      ->callback([] {
        throw UsageError("the tests are not in this program (the launcher builds and runs them) use ./kallima test");
      });
  want_names_of_files(program);
  try {
    program.parse(arguments_for_us(argc, argv), argv);
    if (program.get_subcommands().empty() && crew.speaks()) fmt::print("{}", program.help());
  } catch (const CLI::Success& wish) {  // --help and --version
    if (crew.speaks()) program.exit(wish);
  } catch (const CLI::ParseError& error) {
    const auto chosen = program.get_subcommands();
    const std::string command = chosen.empty() ? "kallima" : "kallima " + chosen[0]->get_name();
    const std::string word = first_unknown(program.remaining(true));
    const CLI::App& where = chosen.empty() ? program : *chosen[0];
    const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || word.starts_with("--");
    if (extra || !did_you_mean(word, words_of(where)).empty()) throw UsageError(not_understood(word, where, command));
    throw UsageError(fmt::format("{} (in the arguments of {}) see {} --help", error.what(), command, command));
  }
}

void tell(const std::string& message) {
  fmt::print(stderr, "kallima: {}\n", message);
  std::fflush(stderr);
}

// Errors are those that all ranks share: one of them tells, and does so before any can have left, since mpirun ends the
// rest when the first is gone. Anything else may have struck this rank alone.
void run_and_tell(int argc, char** argv, Crew& crew) {
  try {
    crew.agree_on_arguments();
    run(argc, argv, crew);
  } catch (const Error& error) {
    crew.will_exit_with(dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1);
    if (crew.speaks()) tell(error.what());
    throw;
  } catch (const std::bad_alloc&) {
    crew.abandon("out of memory (an allocation was refused) use a smaller problem, more nodes or single precision");
  } catch (const std::exception& error) {
    crew.abandon(fmt::format("{} (unexpected) please report this with the command that led to it", error.what()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  serve_as_lab_helper(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond the user's limit is then an error like any other
  bool begun = false;
  try {
    Crew crew(argc,
              argv);  // inside, so that an error unwinds it: should the other ranks not fail as well, it ends them
    begun = true;
    run_and_tell(argc, argv, crew);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
    tell("standard output could not be written (is the disk full?) the results are lost");
    crew.will_exit_with(1);
    return 1;
  } catch (const UsageError&) {
    return 2;
  } catch (const Error& error) {
    if (!begun) tell(error.what());
    return 1;
  }
}
