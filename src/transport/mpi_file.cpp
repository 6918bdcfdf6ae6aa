// Files by MPI-IO. A rank's runs become the tile of a file view: the outermost level of its part is the tile's own
// pitch, so a cyclic array of any length is described by one item and a stride. Data moves in rounds, as many on every
// rank, each short enough for an int. The file itself is made by rank 0 through POSIX, whose errors are plainer.

#include "transport/mpi_file.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "transport/file.hpp"
#include "transport/mpi_check.hpp"
#include "transport/part_runs.hpp"

namespace kallima {
namespace {

constexpr Index round_bytes = Index{256} << 20;
constexpr Index most_blocks = Index{1} << 30;

class Datatype {
 public:
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }
  MPI_Datatype committed() {
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
    return type_;
  }

 private:
  MPI_Datatype type_;
};

Datatype item_of(Index bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  return Datatype(type);
}

Datatype few_strided(Index count, Index pitch, const Datatype& of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hvector(static_cast<int>(count), 1, pitch, of.get(), &type), "MPI_Type_create_hvector");
  return Datatype(type);
}

// `count` copies, `pitch` bytes apart, where the count need not fit an int.
Datatype strided(Index count, Index pitch, const Datatype& of) {
  if (count <= most_blocks) return few_strided(count, pitch, of);
  const Index whole = count / most_blocks;
  const Datatype body = few_strided(whole, most_blocks * pitch, few_strided(most_blocks, pitch, of));
  const Datatype rest = few_strided(count % most_blocks, pitch, of);
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {0, whole * most_blocks * pitch};
  const MPI_Datatype types[] = {body.get(), rest.get()};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(2, ones, places, types, &type), "MPI_Type_create_struct");
  return Datatype(type);
}

Datatype tile_of(const PartRuns& runs, const Datatype& item, Index item_bytes) {
  const auto& levels = runs.levels();
  if (runs.count() <= 1) return strided(1, item_bytes, item);  // one run: items one after the other
  Datatype tile = strided(runs.length(), item_bytes, item);
  for (std::size_t i = levels.size(); i-- > 1;) tile = strided(levels[i].count, levels[i].pitch * item_bytes, tile);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_resized(tile.get(), 0, levels[0].pitch * item_bytes, &type), "MPI_Type_create_resized");
  return Datatype(type);
}

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

  void check(int code, const char* verb) const {
    if (code != MPI_SUCCESS) fail("cannot {} {} ({})", verb, path_, mpi_text(code));
  }
  Index size() const {
    MPI_Offset bytes = 0;
    check(MPI_File_get_size(file_, &bytes), "tell the size of");
    return bytes;
  }
  void sync() { check(MPI_File_sync(file_), "bring to the disk"); }
  void close() { check(MPI_File_close(&file_), "close"); }
  MPI_File get() const { return file_; }

 private:
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

class PartView {
 public:
  PartView(Transport& transport, const SharedFile& file, Index offset, const Layout& layout, Index item_bytes)
      : file_(file), item_bytes_(item_bytes), items_(layout.local_size(transport.rank())), item_(item_of(item_bytes)) {
    const PartRuns runs(layout, transport.rank());
    Datatype tile = tile_of(runs, item_, item_bytes);
    const int code = MPI_File_set_view(file.get(), offset + runs.origin() * item_bytes, item_.committed(),
                                       tile.committed(), "native", MPI_INFO_NULL);
    together(transport, [&] { file.check(code, "see its part of"); });
    rounds_ = most_rounds(transport);
  }

  // Calls move(first item, byte of the part, items, status) once per round; what fails is told at the end, since every
  // rank must take part in every round.
  template <class Move>
  void each_round(Transport& transport, const char* verb, Move move) const {
    int first_error = MPI_SUCCESS;
    Index moved = 0;
    for (Index round = 0; round < rounds_; ++round) {
      const Index begin = std::min(items_, round * per_round());
      const int count = static_cast<int>(std::min(per_round(), items_ - begin));
      MPI_Status status;
      const int code = move(begin, static_cast<std::size_t>(begin * item_bytes_), count, item_.get(), &status);
      if (first_error == MPI_SUCCESS) first_error = code;
      if (code == MPI_SUCCESS) moved += count_of(status, count);
    }
    together(transport, [&] {
      file_.check(first_error, verb);
      require(moved == items_, "could {} only {} of the {} items of rank {}", verb, moved, items_, transport.rank());
    });
  }

 private:
  Index per_round() const { return std::max<Index>(1, round_bytes / item_bytes_); }

  Index most_rounds(Transport& transport) const {
    const Index mine = (items_ + per_round() - 1) / per_round();
    std::vector<Index> all(static_cast<std::size_t>(transport.size()));
    transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return *std::max_element(all.begin(), all.end());
  }

  // What an MPI library reports for a rank that moved nothing is not always a number.
  Index count_of(const MPI_Status& status, int asked) const {
    if (asked == 0) return 0;
    int count = 0;
    MPI_Get_count(&status, item_.get(), &count);
    return count == MPI_UNDEFINED ? 0 : count;
  }

  const SharedFile& file_;
  Index item_bytes_;
  Index items_;
  Datatype item_;
  Index rounds_ = 0;
};

void check_arguments(Transport& transport, Index offset, const Layout& layout, Index item_bytes, std::size_t bytes) {
  together(transport, [&] {
    require(layout.ranks() == transport.size(), "a layout for {} ranks is used by {}", layout.ranks(),
            transport.size());
    file_bytes(layout, item_bytes, offset);
    check_part(layout, transport.rank(), item_bytes, bytes);
  });
}

}  // namespace

void read_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, Index offset, const Layout& layout,
                      Index item_bytes, std::span<std::byte> part) {
  check_arguments(transport, offset, layout, item_bytes, part.size());
  const SharedFile file(transport, comm, path, MPI_MODE_RDONLY);
  together(transport, [&] { check_length(path, file.size(), file_bytes(layout, item_bytes, offset)); });
  const PartView view(transport, file, offset, layout, item_bytes);
  view.each_round(transport, "read",
                  [&](Index begin, std::size_t byte, int count, MPI_Datatype item, MPI_Status* status) {
                    return MPI_File_read_at_all(file.get(), begin, part.data() + byte, count, item, status);
                  });
}

void write_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, std::span<const std::byte> header,
                       const Layout& layout, Index item_bytes, std::span<const std::byte> part) {
  const auto offset = static_cast<Index>(header.size());
  check_arguments(transport, offset, layout, item_bytes, part.size());
  together(transport, [&] {
    if (transport.rank() == 0) create_with_header(path, header, file_bytes(layout, item_bytes, offset));
  });
  SharedFile file(transport, comm, path, MPI_MODE_RDWR);
  const PartView view(transport, file, offset, layout, item_bytes);
  view.each_round(transport, "write",
                  [&](Index begin, std::size_t byte, int count, MPI_Datatype item, MPI_Status* status) {
                    return MPI_File_write_at_all(file.get(), begin, part.data() + byte, count, item, status);
                  });
  together(transport, [&] { file.sync(); });
  together(transport, [&] { file.close(); });
}

}  // namespace kallima
