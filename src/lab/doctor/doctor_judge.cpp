// From numbers to words and settings. Of two settings that are equally fast the one wins that hinders others least:
// pieces as large as may be without blocks waiting for one another, more receives than sends, few sends, rare polls.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/check.hpp"
#include "base/text.hpp"
#include "kallima/doctor.hpp"

namespace kallima {
namespace {

constexpr double tie = 0.97;
constexpr double same_share = 0.03;
constexpr double worth_a_change = 0.05;
constexpr double busy = 0.85;                     // others had the processor for so long that times mean little
constexpr std::size_t large_enough = 256 * 1024;  // larger, and blocks wait for one another

// Pieces that must ask before they leave may queue behind those that come the other way: at times the two directions
// then take turns, and no short measurement is sure to see it.
std::size_t largest_wanted(const Findings& f) {
  return f.alone_bytes > 0 ? std::min(large_enough, f.alone_bytes) : large_enough;
}

std::string bytes_text(double bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:g} MiB", std::round(bytes / (1 << 20) * 10) / 10);
  return bytes >= 1024 ? fmt::format("{:.0f} KiB", bytes / 1024) : fmt::format("{:.0f} bytes", bytes);
}

std::string rate_text(double bytes_per_s) {
  return bytes_per_s >= 1e9 ? fmt::format("{:.1f} GB/s", bytes_per_s * 1e-9)
                            : fmt::format("{:.0f} MB/s", bytes_per_s * 1e-6);
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * std::clamp(share, 0.0, 1.0)); }

const Hidden& best_polling(const Findings& f) {
  const Hidden& top = *std::ranges::max_element(f.hidden_by_polling, {}, &Hidden::share);
  const auto usual = std::ranges::find(f.hidden_by_polling, Tuning{}.poll_seconds, &Hidden::poll_seconds);
  if (usual != f.hidden_by_polling.end() && usual->share >= top.share - worth_a_change) return *usual;
  const Hidden* best = &top;
  for (const Hidden& h : f.hidden_by_polling)
    if (h.share >= top.share - same_share && h.poll_seconds > best->poll_seconds) best = &h;
  return *best;
}

std::string network_text(const Findings& f) {
  if (f.network == Medium::memory) return "through memory";
  return f.network == Medium::tcp ? fmt::format("over TCP ({})", f.interface)
                                  : "through a transport unknown (the kernel's network does not see it)";
}

std::string path_text(const Findings& f) {
  if (f.path == PathKind::threads) return fmt::format("Threads of one process, {} ranks", f.ranks);
  if (f.path == PathKind::shared_memory)
    return fmt::format("{}, {} ranks on one node that see each other's memory", f.library, f.ranks);
  const std::string ends = f.path == PathKind::node_messages ? fmt::format("{} ranks on one node", f.ranks)
                                                             : fmt::format("{} hosts", f.hosts);
  return fmt::format("{}, messages {} between {}", f.library, network_text(f), ends);
}

std::string background_text(const Findings& f) {
  const Hidden& polling = best_polling(f);
  std::string text = f.hidden_alone < 0.1 ? " Nothing moves while a rank computes;"
                                          : fmt::format(" While a rank computes, {} of an exchange goes on by itself;",
                                                        percent(f.hidden_alone));
  text += fmt::format(" polling every {:.0f} us hides {}", 1e6 * polling.poll_seconds, percent(polling.share));
  if (f.hidden_by_thread) text += fmt::format("; a thread hides {}", percent(*f.hidden_by_thread));
  return text + ".";
}

std::string messages_text(const Findings& f, const Diagnosis& d, const ExchangeRate& best) {
  std::string text = f.path == PathKind::shared_memory
                         ? fmt::format(" Messages, if you want them (--messages), go {}.", network_text(f))
                         : "";
  text += background_text(f);
  text += fmt::format(" Both directions at once reach {:.2f} x one, {} each way.", d.both_directions,
                      rate_text(best.bytes_per_s));
  if (f.alone_bytes > 0)
    text += fmt::format(" Messages of up to {} leave without the receiver's help.",
                        bytes_text(static_cast<double>(f.alone_bytes)));
  return text;
}

std::string plan_text(const Tuning& t) {
  return fmt::format("{} every {:.0f} us, pieces of {}, {} sent and {} awaited at a time",
                     t.progress == ProgressBy::thread ? "have a thread look after messages" : "poll",
                     1e6 * t.poll_seconds, bytes_text(static_cast<double>(t.piece_bytes)), t.send_window,
                     t.receive_window);
}

void advise(const Findings& f, Diagnosis& d) {
  if (f.processor_share < busy)
    d.advice.push_back(
        fmt::format("Ranks had a processor for only {} of the time: too little to choose by, so Kallima "
                    "goes on as usual where that is not far slower. Ask again when the machine is quiet",
                    percent(f.processor_share)));
  if (!f.remedy.empty() && f.path == PathKind::host_messages)
    d.advice.push_back(
        fmt::format("Programs that use the library with {} need, before MPI_Init:  export {}  "
                    "(this program sets it itself where nobody has)",
                    f.library, f.remedy));
  if (f.path == PathKind::host_messages && d.both_directions < 1.5 && f.processor_share >= busy)
    d.advice.emplace_back(
        "The two directions of a link take turns here, whatever the pieces and windows: an exchange takes "
        "up to twice as long as it might. See what your MPI library says of eager and rendezvous limits");
}

// Others on the machine cost a few tenths, not half of the rate, as directions that take turns do.
ExchangeRate usual_unless_far_slower(const Findings& f) {
  const ExchangeRate best = best_of(f.rates, largest_wanted(f));
  for (const ExchangeRate& rate : f.rates)
    if (rate.tuning == Tuning{} && rate.bytes_per_s > 0.7 * best.bytes_per_s) return rate;
  return best;
}

}  // namespace

const char* name(PathKind kind) {
  return word_for(kind, {"threads", "shared memory", "messages on one node", "messages between hosts"});
}

const char* name(Medium medium) { return word_for(medium, {"memory", "tcp", "unknown"}); }

ExchangeRate best_of(const std::vector<ExchangeRate>& rates, std::size_t largest) {
  const double top = std::ranges::max(rates, {}, &ExchangeRate::bytes_per_s).bytes_per_s;
  const auto merit = [&](const ExchangeRate& r) {
    const auto piece = static_cast<double>(r.tuning.piece_bytes);
    const bool late = r.tuning.piece_bytes > largest;
    return std::tuple(r.bytes_per_s >= tie * top, !late, late ? -piece : piece,
                      r.tuning.receive_window / r.tuning.send_window,
                      -std::abs(r.tuning.send_window - Tuning{}.send_window));
  };
  return *std::ranges::max_element(rates, {}, merit);
}

Diagnosis judge(const Findings& f) {
  Diagnosis d;
  d.found = path_text(f) + ".";
  if (f.path == PathKind::threads || f.path == PathKind::shared_memory)
    d.found +=
        fmt::format(" A block is read where its sender has it, {:.1f} us after it was announced; nothing is copied.",
                    1e6 * f.handover_s);
  if (f.rates.empty() || f.hidden_by_polling.empty()) {
    d.will = "read blocks in place; there is nothing to tune";
    return d;
  }
  const bool unsure = f.processor_share < busy;
  const ExchangeRate best = unsure ? usual_unless_far_slower(f) : best_of(f.rates, largest_wanted(f));
  d.tuning = best.tuning;
  if (!unsure) d.tuning.poll_seconds = best_polling(f).poll_seconds;
  const bool thread = !unsure && f.hidden_by_thread && *f.hidden_by_thread > best_polling(f).share + worth_a_change;
  d.tuning.progress = thread ? ProgressBy::thread : ProgressBy::polling;
  d.both_directions = f.one_way_bytes_per_s > 0 ? 2 * best.bytes_per_s / f.one_way_bytes_per_s : 0;
  d.found += messages_text(f, d, best);
  d.will = plan_text(d.tuning);
  if (f.path == PathKind::shared_memory) d.will = "read blocks in place; where there are messages, " + d.will;
  advise(f, d);
  return d;
}

}  // namespace kallima
