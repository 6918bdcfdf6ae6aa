// Failing together. A rank that throws alone leaves the others waiting for it, so whatever may fail where ranks meet is
// run through here: a byte per rank tells how it went, and only where one failed do the texts travel, too.

#include "kallima/transport.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "base/check.hpp"

namespace kallima {
namespace {

using Text = std::array<char, 512>;

Text packed(const std::string& text) {
  Text out{};
  const std::size_t room = out.size() - 1;
  std::memcpy(out.data(), text.data(), std::min(text.size(), room));
  if (text.size() > room) std::memcpy(out.data() + room - 3, "...", 3);
  return out;
}

struct Outcome {
  std::exception_ptr error;
  std::string text;
};

Outcome outcome_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const std::exception& e) {
    return {std::current_exception(), e.what()};
  } catch (...) {
    return {std::current_exception(), "an exception that is not a std::exception"};
  }
}

template <class T>
std::vector<T> gathered(Transport& transport, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace

void together(Transport& transport, const std::function<void()>& action) {
  const Outcome mine = outcome_of(action);
  const auto failed = gathered<std::uint8_t>(transport, mine.error ? 1 : 0);
  const auto first = std::find(failed.begin(), failed.end(), 1);
  if (first == failed.end()) return;
  const auto texts = gathered(transport, packed(mine.text));
  if (mine.error) std::rethrow_exception(mine.error);
  const auto rank = first - failed.begin();
  fail("rank {}: {}", rank, texts[static_cast<std::size_t>(rank)].data());
}

void agree(Transport& transport, std::uint64_t value, const std::string& what) {
  const auto values = gathered(transport, value);
  const auto other = std::find_if(values.begin(), values.end(), [&](auto v) { return v != values[0]; });
  if (other == values.end()) return;
  fail("{} is not the same on every rank (rank 0 has {:#x}, rank {} has {:#x}) pass equal arguments on all of them",
       what, values[0], other - values.begin(), *other);
}

}  // namespace kallima
