#pragma once
// Other programs, started without a shell: arguments stay what they are. Small tools are run to their end and give
// their output; a job is watched while it runs, so that a signal that is meant for us ends the job first.

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

using Arguments = std::vector<std::string>;

struct Outcome {
  int status = 0;  // the exit code, or 128 and the signal that ended it
  std::string out;
  std::string err;
};

std::string find_program(const std::string& name);  // on the PATH or where administrators' tools are; empty if nowhere

// Runs a tool to its end, with `input` on its standard input. Throws only if there is no way to start anything.
Outcome run_tool(const Arguments& arguments, const std::string& input = "");

[[noreturn]] void become(const Arguments& arguments);  // takes this process's place; exits with 127 if it cannot

class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  int signal;
};

// While one of these lives, SIGINT, SIGTERM and SIGHUP wait until they are asked for.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  void check() const;  // throws Interrupted if one has come
  int file() const { return file_; }
  int take() const;      // the next signal, SIGCHLD among them; 0 if none has come
  void release() const;  // in a child: signals as before

 private:
  sigset_t before_{};
  int file_ = -1;
};

enum class JobOutput { inherit, capture };

// Starts `arguments` in a process group of its own, after `prepare` has run in the new process, and waits for its end.
// A signal goes to the whole group; who does not heed it is killed. Then throws Interrupted.
Outcome run_job(const Arguments& arguments, const SignalWatch& signals, JobOutput output,
                const std::function<void()>& prepare);

}  // namespace kallima::cli
