#pragma once
// A queue whose smallest element comes first.

#include <functional>
#include <queue>
#include <vector>

namespace kallima {

template <class T>
class Smallest : private std::priority_queue<T, std::vector<T>, std::greater<>> {
  using Queue = std::priority_queue<T, std::vector<T>, std::greater<>>;

 public:
  using Queue::empty, Queue::push, Queue::top;
  void reserve(std::size_t count) { this->c.reserve(count); }
  void clear() { this->c.clear(); }
  T pop() {
    const T item = this->top();
    Queue::pop();
    return item;
  }
};

}  // namespace kallima
