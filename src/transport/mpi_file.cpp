// Files by MPI-IO: opened by all ranks, each of which reads or writes whole stretches, exchanged with the others before
// or after. The file itself is made by rank 0 through POSIX, whose errors are plainer, a full disk above all.

#include "transport/mpi_file.hpp"

#include <exception>

#include "transport/file.hpp"
#include "transport/mpi_check.hpp"
#include "transport/mpi_stretches.hpp"

namespace kallima {
namespace {

// A file open on all ranks. Where only some could open it nobody closes, since that takes all.
class SharedFile {
 public:
  SharedFile(Transport& transport, MPI_Comm comm, const std::string& path, int mode) : path_(path) {
    const int code = MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file_);
    together(transport, [&] { check(code, "open"); });
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  Index size() const {
    MPI_Offset bytes = 0;
    check(MPI_File_get_size(file_, &bytes), "tell the size of");
    return bytes;
  }
  void read_at(Index offset, std::span<std::byte> to) const {
    MPI_Status status;
    check(MPI_File_read_at(file_, offset, to.data(), static_cast<int>(to.size()), MPI_BYTE, &status), "read");
    check_moved(status, "read", to.size(), offset);
  }
  void write_at(Index offset, std::span<const std::byte> from) const {
    MPI_Status status;
    check(MPI_File_write_at(file_, offset, from.data(), static_cast<int>(from.size()), MPI_BYTE, &status), "write");
    check_moved(status, "write", from.size(), offset);
  }
  void sync() { check(MPI_File_sync(file_), "bring to the disk"); }
  void close() { check(MPI_File_close(&file_), "close"); }

 private:
  void check(int code, const char* verb) const {
    if (code != MPI_SUCCESS) fail("cannot {} {} ({})", verb, path_, mpi_text(code));
  }
  void check_moved(const MPI_Status& status, const char* verb, std::size_t asked, Index offset) const {
    int moved = 0;
    MPI_Get_count(&status, MPI_BYTE, &moved);
    require(static_cast<std::size_t>(moved) == asked, "could {} only {} of {} bytes at byte {} of {}", verb, moved,
            asked, offset, path_);
  }

  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

// The first failure of a rank, told when all rounds are over, since each takes every rank.
class Remembered {
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

void read_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, Index offset, const Layout& layout,
                      Index item_bytes, std::span<std::byte> part) {
  const MpiStretches stretches(transport, comm, layout, item_bytes, part.size());
  const SharedFile file(transport, comm, path, MPI_MODE_RDONLY);
  together(transport, [&] { check_length(path, file.size(), file_bytes(layout, item_bytes, offset)); });
  Remembered failure;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    const auto stretch = stretches.stretch(round);
    if (!stretch.empty()) failure.attempt([&] { file.read_at(offset + stretches.first_byte(round), stretch); });
    stretches.deal_out(round, part.data());
  }
  failure.tell(transport);
}

void write_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, std::span<const std::byte> header,
                       const Layout& layout, Index item_bytes, std::span<const std::byte> part) {
  const auto offset = static_cast<Index>(header.size());
  const MpiStretches stretches(transport, comm, layout, item_bytes, part.size());
  together(transport, [&] {
    if (transport.rank() == 0) create_with_header(path, header, file_bytes(layout, item_bytes, offset));
  });
  SharedFile file(transport, comm, path, MPI_MODE_WRONLY);
  Remembered failure;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    stretches.collect(round, part.data());
    const auto stretch = stretches.stretch(round);
    if (!stretch.empty()) failure.attempt([&] { file.write_at(offset + stretches.first_byte(round), stretch); });
  }
  failure.tell(transport);
  together(transport, [&] { file.sync(); });
  together(transport, [&] { file.close(); });
}

}  // namespace kallima
