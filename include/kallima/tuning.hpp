#pragma once
// How messages are moved on while a rank computes. Libraries and networks differ, so these are found by trying
// (`kallima doctor`), and every one of them can be set by hand.

#include <cstddef>
#include <string>

namespace kallima {

// Who looks after messages while a rank computes: the rank itself, between parts of its work, or a thread beside it
// that sleeps in between (needs MPI_THREAD_MULTIPLE and a core to spare).
enum class ProgressBy { polling, thread };

struct Tuning {
  std::size_t piece_bytes = 63 * 1024;  // blocks travel in pieces of this size, small enough to leave unasked,
  int send_window = 4;                  // so many of them under way to one peer at once
  int receive_window = 8;               // and so many awaited: with no more than are sent, directions take turns
  double poll_seconds = 200e-6;         // of work between two looks at the messages; the thread's sleep
  ProgressBy progress = ProgressBy::polling;
  bool operator==(const Tuning&) const = default;
};

std::string text(const Tuning& tuning);  // piece=63k,send=4,receive=8,poll=200us,progress=polling

// Changes what `settings` names in `tuning`; sizes may end in k or m, times in us or ms. Throws Error for what is not
// understood or out of range.
Tuning tuned(const std::string& settings, Tuning tuning = {});

}  // namespace kallima
