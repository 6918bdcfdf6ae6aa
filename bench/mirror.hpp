#pragma once
// An array that a backend transforms, and that is filled and looked at on the host: one and the same where the backend
// computes there.

#include <algorithm>
#include <memory>

#include "kallima/backend.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {

template <class Item>
class Mirror {
 public:
  Mirror() = default;
  Mirror(Index count, std::shared_ptr<const Backend> backend) : backend_(std::move(backend)), host_(count) {
    if (has_own()) own_ = backend_->allocate(bytes());
  }

  std::span<Item> host() const { return host_.span(); }
  Item* data() const { return has_own() ? reinterpret_cast<Item*>(own_.get()) : host_.data(); }  // to be transformed
  std::span<Item> span() const { return {data(), host().size()}; }
  std::size_t bytes() const { return host().size_bytes(); }

  void upload() const {
    if (has_own()) backend_->copy(own_.get(), reinterpret_cast<const std::byte*>(host_.data()), bytes());
  }
  void download() const {
    if (has_own()) backend_->copy(reinterpret_cast<std::byte*>(host_.data()), own_.get(), bytes());
  }

 private:
  bool has_own() const { return backend_ != nullptr && backend_->place() == Place::device; }

  std::shared_ptr<const Backend> backend_;
  Array<Item> host_;
  std::shared_ptr<std::byte> own_;
};

}  // namespace kallima::cli
