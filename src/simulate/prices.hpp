#pragma once
// What each message of a schedule costs on a machine whose links are shared, found before anything is simulated: ranks
// exchange in rounds, the first message of everybody, the second of everybody and so on (`window` at a time), and a
// round takes as long as its busiest link. Where one rank stands for all, what the others put on the links follows from
// the relation in which they all stand to their peers, and a round is counted in a few steps, however many ranks.

#include "kallima/outline.hpp"
#include "simulate/links.hpp"

namespace kallima {

struct MessagePrices {
  std::vector<MessageCost> costs;
  std::vector<std::vector<std::int32_t>> number;  // by simulated rank and task: of its cost, -1 where it is no message
};

MessagePrices price_one_rank(const Outline& outline, const Machine& machine);
MessagePrices price_all_ranks(const Outline& outline, const Machine& machine);

// Of a message that occupies the sender's way for `occupied`, because others are on it, too, and the receiver's for as
// long as its words take alone.
MessageCost shared_cost(const Machine& machine, bool same_node, double words, double occupied, int hops);
double overhead_per_word(const Machine& machine, bool same_node);  // of either processor

// The schedule's words as the machine counts them.
inline double machine_words(const Outline& outline, const Machine& machine, Index words) {
  const double scale =
      machine.word_bytes == 0 ? 1 : static_cast<double>(outline.word_bytes) / static_cast<double>(machine.word_bytes);
  return static_cast<double>(words) * scale;
}

}  // namespace kallima
