#pragma once
// Runs of 3-D FFTs that were published, each with its source, for predictions to stand beside.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kallima::cli {

struct PublishedRun {
  const char* machine;
  const char* profile;  // the machine of kallima machines that is like it
  int year;
  double n, processors;
  double word_bytes;
  double link_bytes_per_s;  // of a processor
  double seconds;           // of one transform; 0: only those of whole time steps are published
  const char* source;
};

const std::vector<PublishedRun>& published_runs();

// One on the machine itself, if there is any, and of those whose time is known the one nearest in points and
// processors; nothing for machines that are not among kallima machines, or where `n` is 0: no three dimensions.
std::vector<PublishedRun> published_beside(const std::string& machine, double n, double processors);

std::string published_text(const std::vector<PublishedRun>& runs, double n, double processors, double predicted_s,
                           double word_bytes);
nlohmann::ordered_json published_json(const std::vector<PublishedRun>& runs);

}  // namespace kallima::cli
