#pragma once
// Lists that are needed for the length of a call. Their memory stays with the thread for the next call, so that what
// was run once is run again without allocating. Those of calls within calls each have their own.

#include <utility>
#include <vector>

namespace kallima::kernel {

template <class Entry>
class Scratch {
 public:
  explicit Scratch(std::size_t size) {
    if (!spare().empty()) {
      list_ = std::move(spare().back());
      spare().pop_back();
    }
    list_.resize(size);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { spare().push_back(std::move(list_)); }

  Entry& operator[](std::size_t i) { return list_[i]; }
  const Entry* data() const { return list_.data(); }

 private:
  static std::vector<std::vector<Entry>>& spare() {
    thread_local std::vector<std::vector<Entry>> lists;
    return lists;
  }

  std::vector<Entry> list_;
};

}  // namespace kallima::kernel
