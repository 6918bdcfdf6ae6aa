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

std::uint64_t hash(const std::string& text, std::uint64_t h = 14695981039346656037ull) {  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

struct Argument {  // as it travels
  std::uint64_t hash = 0;
  Text name = {};
  Text value = {};
};

void fail_if_different(const std::vector<Argument>& all) {
  const auto other = std::find_if(all.begin(), all.end(), [&](const Argument& a) { return a.hash != all[0].hash; });
  if (other == all.end()) return;
  fail("the argument {} is not the same on every rank (rank 0 has {}, rank {} has {}): pass equal ones on all of them",
       all[0].name.data(), all[0].value.data(), other - all.begin(), other->value.data());
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

// Names and values travel only where something differs.
void agree(Transport& transport, const std::vector<std::pair<std::string, std::string>>& arguments) {
  std::uint64_t mine = hash("");
  for (const auto& [name, value] : arguments) mine = hash(value, hash(name, mine));
  const auto all = gathered(transport, mine);
  if (std::all_of(all.begin(), all.end(), [&](auto h) { return h == all[0]; })) return;
  const auto counts = gathered(transport, arguments.size());
  for (std::size_t i = 0; i < *std::max_element(counts.begin(), counts.end()); ++i) {
    const auto [name, value] = i < arguments.size() ? arguments[i] : std::pair<std::string, std::string>{"", "none"};
    fail_if_different(gathered(transport, Argument{hash(value, hash(name)), packed(name), packed(value)}));
  }
}

}  // namespace kallima
