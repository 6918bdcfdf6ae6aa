// Errors, ranks and memory in C.

#include "c/calls.hpp"

#include <cstring>

namespace kallima::c {

LastError& last_error() {
  thread_local LastError last;
  return last;
}

kallima_status note_error() noexcept {
  const auto keep = [](kallima_status status, const char* text) noexcept {
    last_error().status = status;
    try {
      last_error().text = text;
    } catch (...) {  // memory is short even for that
      last_error().text.clear();
    }
    return status;
  };
  try {
    throw;
  } catch (const std::bad_alloc& e) {
    return keep(KALLIMA_NO_MEMORY, e.what());
  } catch (const Error& e) {
    return keep(KALLIMA_INVALID, e.what());
  } catch (const std::exception& e) {
    return keep(KALLIMA_INTERNAL, e.what());
  } catch (...) {
    return keep(KALLIMA_INTERNAL, "an exception that is not a std::exception");
  }
}

namespace {

constexpr std::size_t head = 64;  // before what kallima_malloc() gives stands what frees it

}  // namespace
}  // namespace kallima::c

using namespace kallima::c;

const char* kallima_error_message() { return last_error().text.c_str(); }
kallima_status kallima_error_code() { return last_error().status; }
const char* kallima_version() { return KALLIMA_VERSION; }

kallima_status kallima_run_threads(int ranks, void (*body)(kallima_comm, void*), void* data) {
  return answer([&] {
    held(body, "body to run");
    kallima::run_threads(ranks, [&](const kallima::Comm& comm) {
      kallima_comm_s handle{comm};
      body(&handle, data);
    });
  });
}

int kallima_comm_rank(kallima_comm comm) { return comm == nullptr ? 0 : comm->comm.rank(); }
int kallima_comm_size(kallima_comm comm) { return comm == nullptr ? 1 : comm->comm.size(); }
void kallima_comm_free(kallima_comm comm) { delete comm; }

void* kallima_malloc(size_t bytes) {
  using Memory = kallima::Array<std::byte>;
  static_assert(sizeof(Memory) <= head);
  return made([&]() -> void* {
    Memory memory(static_cast<kallima::Index>(bytes + head));
    std::byte* const data = memory.data();
    new (data) Memory(std::move(memory));
    return data + head;
  });
}

void kallima_free(void* memory) {
  using Memory = kallima::Array<std::byte>;
  if (memory == nullptr) return;
  auto* const owner = reinterpret_cast<Memory*>(static_cast<std::byte*>(memory) - head);
  const Memory ending(std::move(*owner));  // outside of what it frees
}
