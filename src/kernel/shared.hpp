#pragma once
// One value for all of the process that ask for the same, kept as long as somebody has it. Made outside the lock it
// would be made twice, so it is made inside.

#include <map>
#include <memory>
#include <mutex>

namespace kallima::kernel {

template <class Value, class Key>
std::shared_ptr<const Value> shared_value(const Key& key, const auto& make) {
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const Value>> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Value> value = known[key].lock();
  if (!value) known[key] = value = std::make_shared<const Value>(make());
  return value;
}

}  // namespace kallima::kernel
