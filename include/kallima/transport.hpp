#pragma once
// How ranks reach one another. A message goes from post_send and post_recv (both return at once) to test() answering
// true; the received block is then at data(), which is either the landing area or, where sender and receiver share
// memory, a view of the sender's own buffer. A view must be given back with release(), and only then does the sender's
// test() answer true. That, and memory that ranks may share, is all a transport is asked for, besides the few
// collective calls that planning needs. Everything marked collective must be called by all ranks in the same order.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "kallima/layout.hpp"
#include "kallima/tuning.hpp"
#include "kallima/types.hpp"

namespace kallima {

using Request = int;

// Memory that other ranks may be given views of. A rank frees it when it likes, once its messages are over.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::span<std::byte> bytes() = 0;
};

// A collective call: what it is, one of the texts that call_name() keeps, and of which plan or communicator, by the
// number that announce() gave the call it was made in. Equal on all ranks.
struct Call {
  const std::string* what = nullptr;
  std::uint64_t of = 0;
  const std::string* after = nullptr;  // for readers: the one before, where this is but a step of something
  bool operator==(const Call& other) const { return what == other.what && of == other.of; }
};
const std::string* call_name(const std::string& text);  // for good: there are few different ones

// Whether blocks may stand in a device's memory: not at all, as views that are read by their address in this process,
// or as messages, too.
enum class DeviceBlocks { none, by_address, by_messages };

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Whether this rank can be given views of that one's SharedMemory: its messages then need no landing area.
  virtual bool sees(int peer) const = 0;
  bool all_views() const;  // of every peer: the same on all ranks
  virtual bool one_process() const { return false; }  // and of whatever memory, not only SharedMemory
  virtual DeviceBlocks device_blocks() const { return DeviceBlocks::none; }

  virtual Tuning tuning() const { return {}; }                   // how messages are moved on
  virtual std::string tuning_from() const { return "default"; }  // who said so: default, doctor, environment, ...

  virtual void reserve(std::size_t /*requests*/) {}  // so many may be under way at once: posting them allocates nothing
  virtual Request post_send(int peer, int tag, std::span<const std::byte> block) = 0;
  virtual Request post_recv(int peer, int tag, std::span<std::byte> landing) = 0;
  virtual bool test(Request request) = 0;                     // makes progress; true once, and for ever after
  virtual const std::byte* data(Request received) const = 0;  // after test() was true
  virtual void release(Request request) = 0;                  // forget it; for a view: the sender may go on
  virtual void progress() = 0;  // cheap; called every tuning().poll_seconds of work unless a thread does
  virtual void idle() = 0;      // nothing to do: let somebody else have the core

  // Collective from here on.
  // Says what this rank begins, for ranks that wait to notice where others do something else. Returns its number.
  virtual std::uint64_t announce(const Call& /*call*/) { return 0; }
  // Changes the tuning, but for its `progress`, while nothing is under way; equal on all ranks. `from`: who says so.
  virtual void retune(const Tuning& /*tuning*/, const std::string& /*from*/) {}
  virtual std::unique_ptr<SharedMemory> allocate(std::size_t bytes) = 0;
  virtual std::unique_ptr<Transport> duplicate() = 0;
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;  // to every rank, by rank
  virtual void barrier() = 0;

  // True when an exception that leaves one rank wakes the others; where it would leave them waiting, abort instead.
  virtual bool survives_exceptions() const = 0;

  // While an exception that leaves others waiting is handled: wakes them where it can, else ends the job.
  virtual void give_up() noexcept {}

  // For a rank that cannot go on once messages are under way: print and end the job with a non-zero code.
  [[noreturn]] virtual void abort(const std::string& why) noexcept = 0;
};

// Runs `action` and lets every rank know how it went: where any of them threw, all throw, each its own error or else
// the first failing rank's. Collective.
void together(Transport& transport, const std::function<void()>& action);

// What every rank passes, by rank. Collective.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> gathered(Transport& transport, const T& mine) {
  std::vector<T> all(at(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}
std::vector<std::string> gathered(Transport& transport, const std::string& mine);

// By rank: those that see each other have one number, the lowest of their ranks. Collective.
std::vector<int> nodes_of(Transport& transport);
int ranks_of_a_host(Transport& transport);  // the most that one has, whether they see each other or not. Collective.

// Throws on every rank, with `what` in the message, unless all ranks pass the same value. Collective.
void agree(Transport& transport, std::uint64_t value, const std::string& what);

// The same of arguments by name and value: the first that differs is named, with both values. Collective.
void agree(Transport& transport, const std::vector<std::pair<std::string, std::string>>& arguments);

}  // namespace kallima
