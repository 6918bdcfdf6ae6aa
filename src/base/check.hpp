#pragma once
// require() is for the caller's mistakes and is always on; expect() is for ours and is on in debug builds.
// Messages read "problem (why) suggestion", with the numbers in them.

#include <fmt/format.h>

#include <cassert>
#include <exception>

#include "kallima/types.hpp"

namespace kallima {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) fail(format, std::forward<Args>(args)...);
}

// How something went: the exception that left it, where one did, and what that says.
struct Outcome {
  std::exception_ptr error;
  std::string text;
  void rethrow() const {  // where there was one
    if (error) std::rethrow_exception(error);
  }
};

Outcome outcome_of(const auto& action) {
  try {
    action();
    return {};
  } catch (const std::exception& e) {
    return {std::current_exception(), e.what()};
  } catch (...) {
    return {std::current_exception(), "an exception that is not a std::exception"};
  }
}

inline void expect([[maybe_unused]] bool holds) { assert(holds); }

}  // namespace kallima
