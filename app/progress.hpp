#pragma once
// A line on the terminal for those who wait: it appears when work has taken a second, says what is being done and for
// how long, and is gone when the work is done. Silent where standard error is not a terminal.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kallima::cli {

class Progress {
 public:
  explicit Progress(bool wanted);  // one rank only should want it
  ~Progress();
  void step(const std::string& what);

 private:
  void show_until_stopped();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kallima::cli
