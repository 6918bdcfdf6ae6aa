#pragma once
// Arrays aligned for vector loads and, where the system allows, on huge pages, which large strided transforms want.

#include <memory>
#include <span>

#include "kallima/types.hpp"

namespace kallima {

namespace detail {
struct Unmap {
  std::size_t bytes = 0;
  void operator()(void* p) const noexcept;
};
std::size_t byte_count(Index count, std::size_t element_bytes);  // throws Error when the product has no meaning
std::unique_ptr<void, Unmap> map_zeroed(std::size_t bytes);      // so many; throws Error when memory is short
}  // namespace detail

// A zeroed array of `count` elements that frees itself. Move-only; empty once moved from.
template <class Element>
class Array {
 public:
  Array() = default;
  explicit Array(Index count) : storage_(detail::map_zeroed(detail::byte_count(count, sizeof(Element)))) {}
  Element* data() const { return static_cast<Element*>(storage_.get()); }
  Index size() const { return storage_ ? static_cast<Index>(storage_.get_deleter().bytes / sizeof(Element)) : 0; }
  Element& operator[](Index i) const { return data()[i]; }
  Element* begin() const { return data(); }
  Element* end() const { return data() + size(); }
  std::span<Element> span() const { return {data(), at(size())}; }

 private:
  std::unique_ptr<void, detail::Unmap> storage_;
};

}  // namespace kallima
