#pragma once
// A queue whose smallest element comes first.

#include <algorithm>
#include <vector>

namespace kallima {

template <class T>
class Smallest {
 public:
  void reserve(std::size_t count) { items_.reserve(count); }
  void clear() { items_.clear(); }
  bool empty() const { return items_.empty(); }
  const T& top() const { return items_.front(); }
  void push(const T& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), after);
  }
  T pop() {
    std::pop_heap(items_.begin(), items_.end(), after);
    const T item = items_.back();
    items_.pop_back();
    return item;
  }

 private:
  static bool after(const T& a, const T& b) { return b < a; }
  std::vector<T> items_;
};

}  // namespace kallima
