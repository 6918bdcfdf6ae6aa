// Every rank opens the file and reads or writes whole stretches, exchanged with the others before or after.

#include <exception>
#include <optional>

#include "file/file.hpp"
#include "file/stretches.hpp"
#include "kallima/file.hpp"

namespace kallima {
namespace {

// The first failure of a rank, told when all rounds are over, since each takes every rank.
class FirstError {
 public:
  template <class Action>
  void attempt(Action action) {
    if (error_) return;
    try {
      action();
    } catch (const Error&) {
      error_ = std::current_exception();
    }
  }
  void tell(Transport& transport) const {
    together(transport, [&] {
      if (error_) std::rethrow_exception(error_);
    });
  }

 private:
  std::exception_ptr error_;
};

}  // namespace

void read_part(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
               std::span<std::byte> part) {
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  std::optional<File> file;
  together(transport, [&] {
    file.emplace(File::open_for_reading(path));
    check_length(path, file->size(), file_bytes(layout, item_bytes, offset));
  });
  FirstError failure;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    failure.attempt([&] { file->read_at(offset + stretches.first_byte(round), stretches.stretch(round)); });
    stretches.deal_out(round, part.data());
  }
  failure.tell(transport);
}

// A full disk is found before anything is sent.
void write_part(Transport& transport, const std::string& path, std::span<const std::byte> header, const Layout& layout,
                Index item_bytes, std::span<const std::byte> part) {
  const auto offset = static_cast<Index>(header.size());
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  together(transport, [&] {
    if (transport.rank() == 0) create_with_header(path, header, file_bytes(layout, item_bytes, offset));
  });
  std::optional<File> file;
  together(transport, [&] { file.emplace(File::open_for_writing(path)); });
  FirstError failure;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    stretches.collect(round, part.data());
    failure.attempt([&] { file->write_at(offset + stretches.first_byte(round), stretches.stretch(round)); });
  }
  failure.attempt([&] { file->sync(); });
  failure.tell(transport);
}

}  // namespace kallima
