#pragma once
// No exception crosses the boundary to C. Whatever a call does, it does within answer() or made(), which turn what is
// thrown into a code and a text that the thread keeps.

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "c/include/kallima.h"
#include "kallima/kallima.hpp"

struct kallima_comm_s {
  kallima::Comm comm;
};

namespace kallima::c {

struct LastError {
  kallima_status status = KALLIMA_SUCCESS;
  std::string text = {};
};
LastError& last_error();  // of this thread

// To be called where an exception is handled.
kallima_status note_error() noexcept;

kallima_status answer(const auto& action) noexcept {
  try {
    action();
    return KALLIMA_SUCCESS;
  } catch (...) {
    return note_error();
  }
}

// What `make` returns or, where that fails, what stands for nothing.
auto made(const auto& make, decltype(make()) nothing = {}) noexcept {
  try {
    return make();
  } catch (...) {
    note_error();
    return nothing;
  }
}

// What a handle stands for. Throws Error for none.
template <class Handle>
auto& held(Handle* handle, const char* what) {
  if (handle == nullptr) throw Error(std::string("there is no ") + what + " (it is NULL): see kallima_error_message()");
  return *handle;
}

inline Comm comm_of(kallima_comm comm) { return comm == nullptr ? Comm() : comm->comm; }

}  // namespace kallima::c
