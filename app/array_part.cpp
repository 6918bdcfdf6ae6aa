// Ranks write into a temporary file whose name they agree on, and one of them puts it in its place.

#include "app/array_part.hpp"

#include <filesystem>

#include "app/check.hpp"
#include "bench/collect.hpp"

namespace kallima::cli {
namespace {

template <class Item>
void read_as(Transport& transport, const ArrayName& name, const ArrayHeader& header, const Layout& layout,
             std::span<std::byte> part) {
  read_array(transport, name, header, layout,
             std::span(reinterpret_cast<Item*>(part.data()), part.size() / sizeof(Item)));
}

}  // namespace

ArrayHeader array_header(Transport& transport, const std::string& name) {
  ArrayHeader header;
  together(transport, [&] { header = read_array_header(array_name(name)); });
  const std::string text = fmt::format("{} {} {} {}", dtype_text(header), static_cast<int>(header.order),
                                       fmt::join(header.shape, "x"), header.data_offset);
  agree(transport, std::hash<std::string>{}(text), "the header of " + name);
  return header;
}

void read_array_part(Transport& transport, const std::string& name, const ArrayHeader& header, const Layout& layout,
                     std::span<std::byte> part) {
  const bool single = header.precision == Precision::single_, real = header.data == Data::real_;
  const auto read = single ? (real ? read_as<float> : read_as<std::complex<float>>)
                           : (real ? read_as<double> : read_as<std::complex<double>>);
  read(transport, array_name(name), header, layout, part);
}

void check_array_target(const std::string& name, Index bytes) {
  check_writable(array_name(name).path, bytes + array_header_limit);
}

ArrayTarget::ArrayTarget(Transport& transport, const std::string& name)
    : transport_(transport), file_(array_name(name)) {
  bool adds = false;
  together(transport, [&] { adds = transport.rank() == 0 && adds_to_file(file_); });
  adds = largest(transport, adds ? 1 : 0) == 1;
  if (adds && file_.format == ArrayFormat::hdf5) return;
  const double token = gathered(transport, static_cast<double>(random_token()))[0];
  const std::string temporary = temporary_name(file_.path, static_cast<std::uint64_t>(token));
  together(transport, [&] {
    if (transport.rank() != 0) return;
    replacement_ = std::make_unique<Replacement>(temporary, file_.path);
    if (adds) std::filesystem::copy_file(file_.path, temporary, std::filesystem::copy_options::overwrite_existing);
  });
  file_.path = temporary;
}

void ArrayTarget::commit(Flush flush) {
  together(transport_, [&] {
    if (replacement_) replacement_->commit(flush);
  });
}

void write_array_part(Transport& transport, const std::string& name, const ArrayHeader& header, const Layout& layout,
                      std::span<const std::byte> part, Flush flush, int compress) {
  ArrayTarget target(transport, name);
  if (compress > 0)
    write_packed_array(transport, target.file(), header, layout, part, compress);
  else
    write_array(transport, target.file(), header, layout, part, flush);
  target.commit(flush);
}

}  // namespace kallima::cli
