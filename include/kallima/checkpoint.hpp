#pragma once
// What a run must remember to go on, as one file: numbers by name, and arrays that ranks hold parts of. The same list
// writes and reads, so what is saved is what comes back, bit for bit, on any number of ranks and in any layout: arrays
// stand in the file as wholes. The file is a .npy with one record: numpy.load(path)["velocity"][0] is such an array.

#include <span>

#include "kallima/comm.hpp"
#include "kallima/file.hpp"

namespace kallima {

class Checkpoint {
 public:
  // What is named must outlive the Checkpoint.
  Checkpoint& number(const std::string& name, double& value);
  Checkpoint& number(const std::string& name, Index& value);

  // Arrays of one layout, of reals or complex numbers: the components of a vector field, stored one after the other.
  template <class Item>
  requires(Arithmetic<Item>) Checkpoint& arrays(const std::string& name, const Layout& layout,
                                                const std::vector<std::span<Item>>& components) {
    std::vector<std::span<std::byte>> parts;
    for (const std::span<Item>& component : components) parts.push_back(std::as_writable_bytes(component));
    return add(NamedArrays{name, dtype_of<Item>(), layout, sizeof(Item), std::move(parts)});
  }

  // Collective; all throw or none does. The old file is there until the new one is complete and on the disk.
  void write(const Comm& comm, const std::string& path) const;
  // Throws, and leaves everything as it was, unless the file has just these names, types and shapes.
  void read(const Comm& comm, const std::string& path) const;

 private:
  struct NamedNumber {
    std::string name, dtype;
    std::span<std::byte> value;
  };
  struct NamedArrays {
    std::string name, dtype;
    Layout layout;
    Index item_bytes;
    std::vector<std::span<std::byte>> parts;  // of this rank
  };

  template <class Item>
  static std::string dtype_of() {
    const char kind = std::is_floating_point_v<Item> ? 'f' : std::is_integral_v<Item> ? 'i' : 'c';
    return std::string("<") + kind + std::to_string(sizeof(Item));
  }
  Checkpoint& add(NamedNumber number);
  Checkpoint& add(NamedArrays arrays);
  void check_name(const std::string& name) const;
  std::string header() const;
  Index file_size(Index header_bytes) const;
  void each_part(Index header_bytes, const auto& visit) const;  // visit(place in the file, arrays, part)

  std::vector<NamedNumber> numbers_;  // stand before all arrays
  std::vector<NamedArrays> arrays_;
};

}  // namespace kallima
