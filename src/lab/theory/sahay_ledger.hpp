#pragma once
// Where cases are noted under the claim they belong to, and counted.

#include <optional>
#include <string>
#include <vector>

#include "kallima/theory.hpp"

namespace kallima::theory::sahay {

class Ledger {
 public:
  struct Words {
    const char* where;
    const char* printed;
    const char* corrected = "";
  };

  void note(const Words& words, const std::string& parameters, double printed, std::optional<double> corrected,
            double simulated, const std::string& evidence = {});
  // For claims that are ours: nothing is printed, so what is said must hold.
  void note(const Words& words, const std::string& parameters, double said, double simulated) {
    note(words, parameters, said, std::nullopt, simulated);
  }

  std::vector<Claim> take();  // as they stand in the paper; ours at the end of the section they belong to

 private:
  Claim& find(const Words& words);
  std::vector<Claim> claims_;
};

}  // namespace kallima::theory::sahay
