// A signal handler may do next to nothing but write, so the words are ready before they are needed.

#include "app/fuzz_watch.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>

namespace kallima::cli {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};

std::array<char, 4096> last_words{};
volatile std::sig_atomic_t last_words_length = 0;

void prepare(const std::string& name) {
  const std::string words = "kallima: ended by a signal in this case: " + name + "\n";
  last_words_length = 0;
  const std::size_t length = std::min(words.size(), last_words.size());
  std::memcpy(last_words.data(), words.data(), length);
  last_words_length = static_cast<std::sig_atomic_t>(length);
}

void say_last_words(int signal) {
  if (::write(STDERR_FILENO, last_words.data(), static_cast<std::size_t>(last_words_length)) < 0) ::_exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

FuzzWatch::FuzzWatch(double seconds, Stands stands) : seconds_(seconds) {
  for (const int signal : crashes)
    if (signal != SIGTERM || stands == Stands::for_others) std::signal(signal, say_last_words);
  if (stands == Stands::for_others) thread_ = std::thread([this] { watch(); });
}

FuzzWatch::~FuzzWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  for (const int signal : crashes) std::signal(signal, SIG_DFL);
}

void FuzzWatch::begin(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    prepare(name);
    running_ = ++begun_;
  }
  changed_.notify_one();
}

void FuzzWatch::end() {
  const std::lock_guard lock(mutex_);
  running_ = 0;
  last_words_length = 0;
}

void FuzzWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const long mine = running_;
    if (mine == 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(200));
      continue;
    }
    const auto is_past = [&] { return over_ || running_ != mine; };
    if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_), is_past)) continue;
    const char why[] = "kallima: a case did not end in time (see --case-seconds)\n";
    const bool said = ::write(STDERR_FILENO, why, sizeof why - 1) > 0 &&
                      ::write(STDERR_FILENO, last_words.data(), static_cast<std::size_t>(last_words_length)) > 0;
    ::_exit(said ? 3 : 4);
  }
}

}  // namespace kallima::cli
