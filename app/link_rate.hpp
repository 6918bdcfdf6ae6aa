#pragma once
// The rate of a link as tc writes it, and the token bucket that reaches it. A bucket that is too small is empty before
// the kernel's timer comes round again; one that is too large lets a whole message through at once, as if there were
// no limit. A millisecond's worth is between the two up to 1 Gbit/s; faster links need more, up to four.

#include <cstdint>
#include <string>

namespace kallima::cli {

struct LinkRate {
  std::uint64_t bits_per_second = 0;  // 0: no limit

  bool limited() const { return bits_per_second != 0; }
  std::uint64_t burst_bytes() const;  // the bucket
  std::uint64_t queue_bytes() const;  // what may wait for tokens before packets are dropped
  std::string text() const;           // 2.5gbit, none
  std::string tc_text() const;        // what follows `tc qdisc replace dev X root`
};

LinkRate parse_rate(const std::string& text);  // 500mbit, 1gbit, 2.5gbit, none; throws UsageError

}  // namespace kallima::cli
