#pragma once
// Requests are indices into a table whose rows are used again once released. Rows live in a deque, so a reference to
// one stays good while others come and go.

#include <deque>
#include <vector>

#include "base/check.hpp"
#include "kallima/transport.hpp"

namespace kallima {

template <class Row>
class RequestTable {
 public:
  Request add(const Row& row) {
    if (free_.empty()) {
      rows_.push_back({row, true});
      return static_cast<Request>(rows_.size() - 1);
    }
    const Request request = free_.back();
    free_.pop_back();
    rows_[static_cast<std::size_t>(request)] = {row, true};
    return request;
  }

  // Makes room for so many at once.
  void reserve(std::size_t count) {
    free_.reserve(count);
    while (rows_.size() < count) {
      rows_.push_back({});
      free_.push_back(static_cast<Request>(rows_.size() - 1));
    }
  }

  Row& at(Request request) { return slot(request).row; }
  const Row& at(Request request) const { return const_cast<RequestTable*>(this)->slot(request).row; }

  void remove(Request request) {
    slot(request).used = false;
    free_.push_back(request);
  }

 private:
  struct Slot {
    Row row = {};
    bool used = false;
  };

  Slot& slot(Request request) {
    const auto i = static_cast<std::size_t>(request);
    require(request >= 0 && i < rows_.size() && rows_[i].used,
            "request {} is not one of this transport's ({} are known)", request, rows_.size());
    return rows_[i];
  }

  std::deque<Slot> rows_;
  std::vector<Request> free_;
};

}  // namespace kallima
