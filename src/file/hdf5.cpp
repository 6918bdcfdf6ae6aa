// The library's handles close themselves, its own messages are kept quiet, and since it is seldom built for threads,
// one of them at a time is in it.

#include "file/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/check.hpp"
#include "file/hdf5_sharing.hpp"
#include "file/npy.hpp"

namespace kallima {
namespace {

std::recursive_mutex one_at_a_time;

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
    require(id >= 0, "cannot {} (HDF5 refuses) check the file and its permissions", what);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

void quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Hdf5Handle opened(const std::string& path) {
  quiet();
  require(std::filesystem::exists(path), "cannot read {} (there is no such file) check the name", path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open " + path};
}

herr_t note_dataset(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::string settled_name(hid_t file, const std::string& path, const std::string& name) {
  std::vector<std::string> names;
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_dataset, &names);
  const std::string wanted = name.starts_with('/') ? name.substr(1) : name;
  if (wanted.empty() && names.size() == 1) return names[0];
  require(std::ranges::find(names, wanted) != names.end(), "{} has {} ({}) name one: {}:NAME", path,
          wanted.empty() ? (names.empty() ? "no dataset" : "several datasets") : "no dataset '" + wanted + "'",
          fmt::join(names, ", "), path);
  return wanted;
}

struct OpenDataset {
  OpenDataset(const std::string& path, const std::string& dataset)
      : file(opened(path)),
        name(settled_name(file, path, dataset)),
        data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name + " of " + path) {}

  Hdf5Handle file;
  std::string name;
  Hdf5Handle data;
  Hdf5Handle type{H5Dget_type(data), H5Tclose, "look at a type"};
  Hdf5Handle space{H5Dget_space(data), H5Sclose, "look at a dataset"};
};

// As NumPy would call it; empty where it has no name for it.
std::string dtype_of(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}{}{}", H5Tget_order(type) == H5T_ORDER_BE ? '>' : '<',
                         H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i', bytes);
    case H5T_FLOAT:
      return fmt::format("{}f{}", H5Tget_order(type) == H5T_ORDER_BE ? '>' : '<', bytes);
    case H5T_ENUM:
      return bytes == 1 ? "|b1" : "";  // h5py's booleans
    case H5T_COMPOUND: {
      if (H5Tget_nmembers(type) != 2) return "";
      const Hdf5Handle first(H5Tget_member_type(type, 0), H5Tclose, "look at a type");
      const Hdf5Handle second(H5Tget_member_type(type, 1), H5Tclose, "look at a type");
      const bool pair = H5Tequal(first, second) > 0 && H5Tget_class(first) == H5T_FLOAT &&
                        H5Tget_member_offset(type, 0) == 0 && 2 * H5Tget_size(first) == bytes;
      return pair ? fmt::format("{}c{}", dtype_of(first)[0], bytes) : "";
    }
    default:
      return "";
  }
}

Hdf5Handle type_named(const ArrayHeader& header) {
  const bool single = header.precision == Precision::single_;
  const hid_t real = single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const std::size_t bytes = single ? 4 : 8;
  if (header.data == Data::real_) return {H5Tcopy(real), H5Tclose, "make a type"};
  const hid_t complex = H5Tcreate(H5T_COMPOUND, 2 * bytes);
  H5Tinsert(complex, "r", 0, real);
  H5Tinsert(complex, "i", bytes, real);
  return {complex, H5Tclose, "make a type"};
}

// Selects a rank's part of a dataset, and gives the memory that it fills.
Hdf5Handle selected(hid_t space, const Layout& layout, int rank) {
  std::vector<hsize_t> start, stride, count;
  for (const Progression& mine : layout.owned(rank)) {
    start.push_back(static_cast<hsize_t>(mine.first));
    stride.push_back(static_cast<hsize_t>(mine.step));
    count.push_back(static_cast<hsize_t>(mine.count));
  }
  const auto elements = static_cast<hsize_t>(layout.local_size(rank));
  Hdf5Handle memory(H5Screate_simple(1, &elements, nullptr), H5Sclose, "make a dataspace");
  if (elements == 0) {
    H5Sselect_none(space);
    H5Sselect_none(memory);
  } else if (H5Sget_simple_extent_ndims(space) > 0) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), nullptr);
  }
  return memory;
}

std::vector<hsize_t> sizes(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

bool has_hdf5() { return true; }

ArrayHeader hdf5_header(const std::string& path, const std::string& dataset) {
  const std::lock_guard lock(one_at_a_time);
  const OpenDataset it(path, dataset);
  const Hdf5Handle list(H5Dget_create_plist(it.data), H5Pclose, "look at a dataset");
  const std::string dtype = dtype_of(it.type);
  require(!dtype.empty(), "{} of {} holds no numbers (nor pairs of reals) convert it to complex128", it.name, path);
  ArrayHeader header;
  set_type(header, dtype);
  std::vector<hsize_t> extents(at(std::max(0, H5Sget_simple_extent_ndims(it.space))));
  if (!extents.empty()) H5Sget_simple_extent_dims(it.space, extents.data(), nullptr);
  header.shape.assign(extents.begin(), extents.end());
  check_elements(header.shape);
  const bool in_one_piece = H5Pget_layout(list) == H5D_CONTIGUOUS && H5Pget_external_count(list) == 0;
  const haddr_t offset = in_one_piece ? H5Dget_offset(it.data) : HADDR_UNDEF;
  header.data_offset = offset == HADDR_UNDEF ? -1 : static_cast<Index>(offset);
  return header;
}

void hdf5_read(const std::string& path, const std::string& dataset, const Layout& layout, int rank,
               std::span<std::byte> part) {
  if (part.empty()) return;
  const std::lock_guard lock(one_at_a_time);
  const OpenDataset it(path, dataset);
  const Hdf5Handle memory = selected(it.space, layout, rank);
  const bool done = H5Dread(it.data, it.type, memory, it.space, H5P_DEFAULT, part.data()) >= 0;
  require(done, "cannot read {} of {} (HDF5 fails: is a filter missing?) save it without compression", it.name, path);
}

namespace {

Hdf5Handle file_to_write(const std::string& path, hid_t access, bool there) {
  return {
      there ? H5Fopen(path.c_str(), H5F_ACC_RDWR, access) : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
      H5Fclose, "write " + path};
}

bool has_content(const std::string& path) {
  return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
}

std::string name_to_write(const std::string& dataset) { return dataset.empty() ? "data" : dataset; }

Hdf5Handle new_dataset(hid_t file, const std::string& path, const std::string& name, const ArrayHeader& header,
                       hid_t list) {
  const Hdf5Handle type = type_named(header);
  const Hdf5Handle space(header.shape.empty() ? H5Screate(H5S_SCALAR)
                                              : H5Screate_simple(static_cast<int>(header.shape.size()),
                                                                 sizes(header.shape).data(), nullptr),
                         H5Sclose, "make a dataspace");
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make a list");
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);  // ranks will write it
  return {H5Dcreate2(file, name.c_str(), type, space, links, list, H5P_DEFAULT), H5Dclose,
          fmt::format("make {} in {}, where something of that name may be already", name, path)};
}

// As many of the last dimensions as make about a megabyte.
std::vector<hsize_t> chunk_of(const Shape& shape) {
  std::vector<hsize_t> chunk(shape.size(), 1);
  Index room = Index{1} << 17;
  for (std::size_t k = shape.size(); k-- > 0 && room > 0;) {
    chunk[k] = static_cast<hsize_t>(std::clamp<Index>(room, 1, shape[k]));
    room /= shape[k];
  }
  return chunk;
}

// One rank's part, into a dataset that it makes where it is told to.
struct PackedPart {
  const std::string& path;
  std::string name;
  const ArrayHeader& header;
  const Layout& layout;
  int rank;
  std::span<const std::byte> part;
  int level;

  void write(hid_t access, hid_t transfer, bool there, bool makes) const {
    const Hdf5Handle file = file_to_write(path, access, there);
    const Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a list");
    H5Pset_chunk(list, static_cast<int>(header.shape.size()), chunk_of(header.shape).data());
    H5Pset_deflate(list, static_cast<unsigned>(level));
    const Hdf5Handle data = makes ? new_dataset(file, path, name, header, list)
                                  : Hdf5Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
    const Hdf5Handle type = type_named(header);
    const Hdf5Handle space(H5Dget_space(data), H5Sclose, "look at a dataset");
    const Hdf5Handle memory = selected(space, layout, rank);
    const bool done = H5Dwrite(data, type, memory, space, transfer, part.data()) >= 0;
    require(done, "cannot write {} of {} (HDF5 fails) check the disk's room", name, path);
  }
};

}  // namespace

Index hdf5_create(const std::string& path, const std::string& dataset, const ArrayHeader& header) {
  const std::lock_guard lock(one_at_a_time);
  quiet();
  const std::string name = name_to_write(dataset);
  const Hdf5Handle file = file_to_write(path, H5P_DEFAULT, has_content(path));
  const Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a list");
  H5Pset_layout(list, H5D_CONTIGUOUS);
  H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
  const Hdf5Handle data = new_dataset(file, path, name, header, list);
  const haddr_t offset = H5Dget_offset(data);
  require(offset != HADDR_UNDEF, "{} of {} has no place in the file", name, path);
  return static_cast<Index>(offset);
}

void hdf5_write_packed(Transport& transport, const std::string& path, const std::string& dataset,
                       const ArrayHeader& header, const Layout& layout, std::span<const std::byte> part, int level) {
  const PackedPart mine{path, name_to_write(dataset), header, layout, transport.rank(), part, level};
  const auto with_lists = [&](const auto& action) {
    const std::lock_guard lock(one_at_a_time);
    quiet();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a list");
    const Hdf5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make a list");
    action(access, transfer);
  };
  bool shared = false, there = false;
  together(transport, [&] {
    require(!header.shape.empty(), "a single number is not compressed: write it as it is");
    there = has_content(path);
    with_lists([&](hid_t access, hid_t) { shared = share_files(access, transport); });
  });
  if (shared)
    return together(transport, [&] {
      with_lists([&](hid_t access, hid_t transfer) {
        share_files(access, transport);
        share_moves(transfer);
        mine.write(access, transfer, there, true);
      });
    });
  for (int turn = 0; turn < transport.size(); ++turn)
    together(transport, [&] {
      if (turn == transport.rank() && (turn == 0 || !part.empty()))
        with_lists([&](hid_t access, hid_t transfer) { mine.write(access, transfer, there || turn > 0, turn == 0); });
    });
}

}  // namespace kallima
