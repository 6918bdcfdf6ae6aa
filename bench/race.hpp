#pragma once
// Several transforms run in turns, so that whatever else the machine does strikes all of them alike.

#include <optional>
#include <string>
#include <vector>

#include "bench/rival.hpp"
#include "bench/skew.hpp"

namespace kallima::cli {

struct Runs {
  std::string name = {};
  std::string title = {};
  std::vector<double> seconds = {};
  std::optional<double> error = {};  // none where there is no answer to check
  double median() const;
  double fastest() const;
  double slowest() const;
  double p95() const;  // 95 % of the runs took no longer
};

class Race {
 public:
  // Rank 0 must have all of the rivals; other ranks may have fewer and then only wait. Collective, as is all the rest.
  Race(const std::vector<Rival*>& rivals, Transport& transport, Placement placement, Skew skew = {});

  void check_and_warm_up();
  void run_each();
  const std::vector<Runs>& runs() const { return runs_; }  // in the order of rank 0's rivals

 private:
  double run_once(std::size_t i);
  double run_skewed(Rival* rival, double delay);

  std::vector<Rival*> rivals_;  // null where it is not this rank's to run
  Transport& transport_;
  Placement placement_;
  Skew skew_;
  int turn_ = 0;
  std::size_t everybodys_ = 0;  // rivals that all ranks take part in
  std::vector<Runs> runs_;
};

}  // namespace kallima::cli
