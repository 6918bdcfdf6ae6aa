// Linux knows the nanoseconds that a thread has waited for a core. Where it was built without that it knows how often
// a core was taken away, each time for a millisecond, say.

#include "lab/calibrate/undisturbed.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace kallima {
namespace {

constexpr double usual_slice_s = 1e-3;

class ThreadClock {
 public:
  ThreadClock() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~ThreadClock() {
    if (file_ >= 0) ::close(file_);
  }
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  // The second of its numbers.
  double deprived() const {
    char text[96] = "";
    if (file_ < 0 || ::pread(file_, text, sizeof text - 1, 0) <= 0) return by_slices();
    char* rest = text;
    std::strtoull(rest, &rest, 10);
    return 1e-9 * static_cast<double>(std::strtoull(rest, nullptr, 10));
  }

 private:
  static double by_slices() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return usual_slice_s * static_cast<double>(used.ru_nivcsw);
  }

  int file_;
};

}  // namespace

double deprived_s() {
  thread_local const ThreadClock clock;
  return clock.deprived();
}

}  // namespace kallima
