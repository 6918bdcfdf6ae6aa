#pragma once
// So that no case ends a fuzz run without its name: one that does not come to its end ends the process after a while,
// and one that crashes it is named by the last words of the process.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kallima::cli {

enum class Stands { alone, for_others };  // ending a job kills its other processes, one of which is to say why

class FuzzWatch {
 public:
  FuzzWatch(double seconds, Stands stands);
  ~FuzzWatch();
  FuzzWatch(const FuzzWatch&) = delete;
  FuzzWatch& operator=(const FuzzWatch&) = delete;

  void begin(const std::string& name);  // of the case that is run from now on
  void end();

 private:
  void watch();

  const double seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  long running_ = 0;  // number of the case, counted from 1; 0: none
  long begun_ = 0;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace kallima::cli
