#pragma once
// Random numbers that are the same on every machine and depend on a seed and a number only (splitmix64; the standard
// library's distributions differ between implementations).

#include <cstdint>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) : state_(seed * 0x9e3779b97f4a7c15u ^ number) {
    next();
    state_ ^= number << 32;
  }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  Index between(Index least, Index most) {
    return least + static_cast<Index>(next() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool once_in(int times) { return between(1, times) == 1; }
  double signed_unit() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }  // -1 to 1

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<Index>(all.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[next() % i]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace kallima::cli
