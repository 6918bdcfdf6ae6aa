#pragma once
// What this program answers when it is started again, as processes of MPI.

#include <string>

#include "app/process.hpp"

namespace kallima::cli {

// A file that is gone afterwards, however that comes.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// The JSON of a command on so many ranks. `what` is done there, for people to read.
std::string json_of_own_ranks(int ranks, const Arguments& command, const std::string& what);

}  // namespace kallima::cli
