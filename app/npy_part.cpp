// Ranks write into a temporary file whose name they agree on, and one of them puts it in its place.

#include "app/npy_part.hpp"

#include <optional>

#include "app/files.hpp"
#include "bench/collect.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

void write_npy_part(Transport& transport, const std::string& path, const NpyHeader& header, const Layout& layout,
                    std::span<const std::byte> part, Flush flush) {
  const std::string head = npy_header(header);
  const double token = gathered(transport, static_cast<double>(random_token()))[0];
  const std::string temporary = temporary_name(path, static_cast<std::uint64_t>(token));
  std::optional<Replacement> replacement;
  together(transport, [&] {
    if (transport.rank() == 0) replacement.emplace(temporary, path);
  });
  write_part(transport, temporary, std::as_bytes(std::span(head)), layout, item_bytes(header), part, flush);
  together(transport, [&] {
    if (replacement) replacement->commit(flush);
  });
}

}  // namespace kallima::cli
