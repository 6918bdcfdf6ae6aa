// Large arrays come straight from the kernel: zeroed, and aligned to 2 MiB so that transparent huge pages can back them
// from the first byte; a strided pass over 4 KiB pages spends its time in the TLB. Pages are not touched here, so each
// lands on the memory node of the thread that first writes it.

#include "kallima/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "base/check.hpp"

namespace kallima::detail {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = std::size_t{4} << 20;
constexpr std::size_t page = 4096;

std::size_t rounded(std::size_t bytes) { return (bytes + page - 1) / page * page; }

void* map(std::size_t bytes, std::size_t asked) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(at != MAP_FAILED, "cannot get {} bytes ({:.1f} GiB) of memory ({}) use more ranks or a smaller shape", asked,
          static_cast<double>(asked) / (1 << 30), std::strerror(errno));
  return at;
}

// Maps a huge page too much and gives back what lies before and behind the aligned stretch.
void* map_aligned(std::size_t bytes, std::size_t asked) {
  auto* raw = static_cast<std::byte*>(map(bytes + huge_page, asked));
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
  if (before > 0) ::munmap(raw, before);
  ::munmap(raw + before + bytes, huge_page - before);
  ::madvise(raw + before, bytes, MADV_HUGEPAGE);  // advice: where the kernel has none to give, small pages do
  return raw + before;
}

}  // namespace

std::size_t byte_count(Index count, std::size_t element_bytes) {
  std::size_t bytes = 0;
  const bool fits = count >= 0 && !__builtin_mul_overflow(static_cast<std::size_t>(count), element_bytes, &bytes) &&
                    bytes <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  require(fits, "cannot hold an array of {} elements of {} bytes (more than memory has addresses)", count,
          element_bytes);
  return bytes;
}

void Unmap::operator()(void* p) const noexcept { ::munmap(p, rounded(bytes)); }

std::unique_ptr<void, Unmap> map_zeroed(std::size_t bytes) {
  if (bytes == 0) return {nullptr, Unmap{0}};
  void* at = bytes >= huge_from ? map_aligned(rounded(bytes), bytes) : map(rounded(bytes), bytes);
  return {at, Unmap{bytes}};
}

}  // namespace kallima::detail
