#pragma once
// All that is known of a machine that one has: what its messages and passes take, between which ranks, how sure that
// is, and of what machine and when it was found. Its file is that of a Machine with more in it, so that whatever reads
// machines reads profiles.

#include "kallima/machine.hpp"
#include "kallima/rates.hpp"

namespace kallima {

// A number and, relative to it, half of the interval that has 90 of 100 measurements in it.
struct Measured90 {
  double value = 0;
  double error = 0;
  bool operator==(const Measured90&) const = default;
};

struct PairRates {
  Joined joined = Joined::threads;
  Measured90 L, o_send, o_receive, g, G;  // LogGP's, seconds; G per byte
  Measured90 O = {};                      // and of either processor per byte, where it lands in memory of its own
  Measured90 alpha, beta;                 // half a round trip takes alpha + beta bytes
  Measured90 bsp_g, bsp_l;                // flops per double of a total exchange, and of its synchronisation
  double bsp_r = 0;                       // flop/s
  std::vector<std::pair<double, double>> all_to_all = {};  // bytes of a block, bytes/s out of a rank
  bool operator==(const PairRates&) const = default;
};

struct Profile {
  Machine machine = {};
  Rates rates = {};
  std::vector<PairRates> pairs = {};
  double processor_share = 1;      // of the time that ranks computed
  bool hosts_share_cores = false;  // they are those of a laboratory, on one machine
  std::string processor = {}, host = {}, library = {}, when = {};

  const PairRates* find(Joined joined) const;
  bool operator==(const Profile&) const = default;
};

// What becomes of a block that a rank could read where it stands: it does, or it copies it to memory of its own.
enum class Landing { none, copied };

// Ranks of which `per_node` share a node, joined so inside of it: what a schedule can be simulated on. Between threads
// and by views no byte travels: blocks are read in place, or copied by processors.
Machine machine_for(const Profile& profile, Joined inside, int per_node, int ranks, Landing landing = Landing::none);

// What every rank may count on where nobody has measured anything: the processor, memory and network of an ordinary
// server, in round numbers.
const Profile& usual_profile();

// What `before` knows of pairs of ranks, and of whole transforms, that `all` does not.
void add_missing(Profile& all, const Profile& before);

std::string to_json(const Profile& profile);
Profile profile_from_json(const std::string& json);  // throws Error naming what is wrong

}  // namespace kallima
