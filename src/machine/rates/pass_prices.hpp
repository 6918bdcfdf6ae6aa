#pragma once
// Looking up what a pass takes. Lengths that were timed stand for those that were not: the nearest ones, in size and in
// what their factors are like, each scaled by the ratio of radix_levels(). What surroundings add is taken from lengths
// near this one and interpolated over the logarithm of the footprint.

#include <map>

#include "kallima/rates.hpp"

namespace kallima {

// What decides how long a pass takes.
struct PassForm {
  PassClass of;
  Index length = 1;
  bool in_place = true;
  bool meets = false, uneven = false;
  double bytes = 0;              // read and written by one execution
  double footprint = 0;          // touched since its data was
  double lines = 1, groups = 1;  // of lines side by side
  double fetched = 1;            // bytes of cache lines that come for a byte of these
  auto operator<=>(const PassForm&) const = default;
};

// What lines of this length were timed with at least.
double cached_footprint(const PassClass& of, Index length);

// And so many of them side by side, or as many as there were.
constexpr Index usual_lanes = 128;

// Whether that was in place.
bool timed_in_place(const PassClass& of);

class PassPrices {
 public:
  PassPrices(const Rates& rates, int busy);

  double seconds(const PassForm& form);  // of one execution

  // What a row of lines of this length takes more than as many bytes in a row, where few stand side by side.
  enum class Access { read, write };
  double row_seconds(Index length, bool meets, Access access) const;

 private:
  struct Samples {
    Index length = 1;
    std::vector<std::pair<double, double>> rates = {};  // by footprint
  };

  double in_cache(const PassClass& of, Index length);
  double more(Surroundings where, Index length, double footprint);  // seconds per byte
  const std::vector<Samples>& samples(Surroundings where);

  const Rates& rates_;
  double oversubscribed_ = 1;  // ranks that share a core
  int cores_ = 1;
  std::map<PassClass, std::vector<PassRate>> passes_;
  std::map<Surroundings, std::vector<Samples>> memory_;
  std::map<std::pair<bool, Access>, std::vector<std::pair<double, double>>> rows_;  // by length
  std::map<std::pair<PassClass, Index>, double> known_;
  std::map<PassForm, double> priced_;
};

}  // namespace kallima
