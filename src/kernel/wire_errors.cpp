#include "kernel/wire_errors.hpp"

#include <cmath>
#include <limits>

namespace kallima::kernel {

void Squares::add_far(double more, int its_exponent) {
  if (more == 0) return;
  if (sum == 0) exponent = its_exponent;
  const int apart = its_exponent - exponent;
  if (apart > 0) {
    sum = std::ldexp(sum, -2 * apart);
    exponent = its_exponent;
  }
  sum += apart < 0 ? std::ldexp(more, 2 * apart) : more;
}

void WireErrors::add(const WireErrors& other) {
  difference.add(other.difference);
  total.add(other.total);
  lost = lost || other.lost;
}

double WireErrors::relative() const {
  if (lost) return std::numeric_limits<double>::infinity();
  if (total.sum == 0) return 0;
  return std::ldexp(std::sqrt(difference.sum / total.sum), difference.exponent - total.exponent);
}

}  // namespace kallima::kernel
