#pragma once
// A letter for every stage that occurs in a trace, in the order in which the stages begin.

#include <string>
#include <utility>
#include <vector>

#include "kallima/trace.hpp"

namespace kallima {

bool is_stage(const Event& event);            // computing or copying, as opposed to waiting and to posting messages
std::string stage_label(const Event& event);  // its own, or else the name of its kind

class Stages {
 public:
  explicit Stages(const Trace& trace);
  char letter(const Event& stage) const;
  const std::vector<std::pair<std::string, char>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, char>> all_;
};

}  // namespace kallima
