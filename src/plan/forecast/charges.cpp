#include "plan/forecast/charges.hpp"

#include <algorithm>
#include <cmath>

#include "kallima/forecast.hpp"

namespace kallima {
namespace {

constexpr double word_bytes_read_and_written = 32;
constexpr double flops_of_a_level = 5;
constexpr Index usual_line = 256;
constexpr double many_words = 1 << 20;

// The class's rate at the length nearest to a usual line's; 0: nobody has timed it.
const PassRate* rate_of(const Rates& rates, const PassClass& of) {
  const auto away = [](const PassRate& r) { return std::abs(std::log(static_cast<double>(r.length) / usual_line)); };
  const PassRate* best = nullptr;
  for (const PassRate& r : rates.passes)
    if (r.of == of && (best == nullptr || away(r) < away(*best))) best = &r;
  return best;
}

double level_of(const Profile& profile) {
  const PassRate* const timed = rate_of(profile.rates, {Stance::across, LineWork::complex_, Precision::double_});
  if (timed == nullptr) return flops_of_a_level / flop_rate(profile.machine);
  return timed->s_per_byte * word_bytes_read_and_written / std::log2(static_cast<double>(timed->length));
}

double moved_word(const Profile& profile) {
  const PassRate* const timed = rate_of(profile.rates, {Stance::turned, LineWork::move, Precision::double_});
  if (timed != nullptr) return timed->s_per_byte * word_bytes_read_and_written;
  const double rate = memory_rate(profile.machine);
  return rate > 0 ? word_bytes_read_and_written / rate : level_of(profile);
}

struct PerMessage {
  const Machine& machine;

  double sent(const auto& model, double bytes) const {
    const double words = bytes / static_cast<double>(machine.word_bytes > 0 ? machine.word_bytes : 16);
    const MessageCost cost = message_cost(model, std::max<Index>(1, std::llround(words)));
    return std::max(cost.send_gap, cost.send_busy) + cost.recv_busy;
  }
  Charges operator()(const Bsp& bsp) const { return {.exchange = bsp.l, .message = 0, .word = 2 * bsp.g}; }
  Charges operator()(const auto& model) const {
    const double one = sent(model, 1), many = sent(model, 16 * many_words);
    const MessageCost cost = message_cost(model, 1);
    return {.exchange = cost.flight, .message = one, .word = (many - one) / many_words};
  }
};

}  // namespace

// Between ranks that see each other's memory nothing travels, but words are moved all the same.
Charges charges_for(int ranks, const PlanOptions& options) {
  const std::shared_ptr<const Profile> profile = planning_profile();
  const ForecastOptions how = joined_as(options, ranks);
  const bool lands = options.exchange == Exchange::messages && options.nodes.empty();
  const Landing landing = lands ? Landing::copied : Landing::none;
  const Machine machine = machine_for(*profile, how.inside, how.per_node, ranks, landing);
  Charges all = std::visit(PerMessage{machine}, machine.model);
  all.word += moved_word(*profile);
  all.level = level_of(*profile);
  return all;
}

}  // namespace kallima
