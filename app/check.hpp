#pragma once
// How the program refuses: "problem (why) suggestion", with the numbers in it.

#include <fmt/format.h>

#include "kallima/types.hpp"

namespace kallima::cli {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) fail(format, std::forward<Args>(args)...);
}

}  // namespace kallima::cli
