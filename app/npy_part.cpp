// Ranks write into a temporary file whose name they agree on, and one of them puts it in its place.

#include "app/npy_part.hpp"

#include <unistd.h>

#include <chrono>
#include <optional>

#include "app/files.hpp"
#include "bench/collect.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

void write_npy_part(Transport& transport, const std::string& path, const NpyHeader& header, const Layout& layout,
                    std::span<const std::byte> part) {
  const std::string head = npy_header(header);
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const auto unique =
      static_cast<double>((static_cast<std::uint64_t>(now) << 20 ^ static_cast<std::uint64_t>(getpid())) >> 12);
  const std::string temporary = temporary_name(path, static_cast<std::uint64_t>(gathered(transport, unique)[0]));
  std::optional<Replacement> replacement;
  if (transport.rank() == 0) replacement.emplace(temporary, path);
  write_part(transport, temporary, std::as_bytes(std::span(head)), layout, item_bytes(header), part);
  together(transport, [&] {
    if (replacement) replacement->commit();
  });
}

}  // namespace kallima::cli
