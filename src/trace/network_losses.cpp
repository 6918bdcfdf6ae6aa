// Where the network is the bound, time is lost whenever nothing is under way: before a rank has come, before the first
// block, between blocks and after the last. The rest is messages that took longer than they do alone.

#include <fmt/format.h>

#include "trace/ledger.hpp"

namespace kallima {
namespace {

void add_idle(const Account& a, Ledger& ledger) {
  const std::vector<Interval>& busy = a.moments.under_way;
  const Interval head{a.last_arrival, std::max(a.last_arrival, busy.front().begin)};
  const Interval tail{busy.back().end, std::max(busy.back().end, a.run.end)};
  const std::vector<Interval> between = gaps(busy, {head.end, std::max(head.end, tail.begin)});
  const double first = head.end - head.begin, last = tail.end - tail.begin, idle = length(between);
  ledger.add_late(length(gaps(busy, {a.run.begin, head.begin})));
  ledger.add(Cause::first_block, first,
             fmt::format("nothing to send before the first block: {}{} ({} of the time)", ledger.text(first),
                         ledger.stage_in({head}), ledger.share(first)));
  ledger.add(Cause::idle_network, idle,
             fmt::format("nothing under way between two blocks: {}{}", ledger.text(idle), ledger.stage_in(between)));
  ledger.add(Cause::last_chunk, last,
             fmt::format("last chunk too large: {}{} after the last message arrived", ledger.text(last),
                         ledger.stage_in({tail})));
}

void add_slow(const Account& a, Ledger& ledger) {
  const double slower = length(a.moments.under_way) - a.communication;
  const double rest = slower - ledger.add_unpolled(slower);
  ledger.add(Cause::slower_messages, a.measured_alone ? rest : 0,
             fmt::format("messages took {} longer than alone; CPU spent in messages: {}", ledger.text(rest),
                         ledger.share(a.done.posting + a.done.polling)));
}

}  // namespace

std::vector<Loss> network_losses(const Account& account) {
  Ledger ledger(account);
  if (account.moments.under_way.empty()) return {};
  add_idle(account, ledger);
  add_slow(account, ledger);
  return std::move(ledger).all();
}

}  // namespace kallima
