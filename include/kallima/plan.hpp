#pragma once
// From a Problem to Schedules. Planning is pure: equal arguments give equal plans, and equal errors, on every rank.

#include <memory>
#include <optional>
#include <string_view>

#include "kallima/layout.hpp"
#include "kallima/problem.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

// How blocks reach other ranks: read in place from the sender's memory, or as messages that need somewhere to land.
enum class Exchange { views, messages };

// The order in which phase I makes its blocks: all destinations of a chunk before the next chunk, or all chunks of a
// destination before the next destination.
enum class Order { chunk_first, destination_first };

// How the exchange's blocks find their targets (see collective.hpp): in the order the route likes best; straight, to
// ranks i+1, i+2, ...; straight, to i xor 1, i xor 2, ...; or in log2 P rounds through others, in few long messages.
enum class Alltoall { automatic, direct, pairwise, bruck };

// Whether blocks are made, sent and combined chunk by chunk, so that computing and exchanging go on at once, or all
// at once with the exchange in between.
enum class Overlap { automatic, on, off };

enum class Placement { out_of_place, in_place };

struct PlanOptions {
  std::string route = "auto";
  Shape grid = {};   // ranks per dimension; empty: chosen
  Index chunks = 0;  // 0: chosen
  Index slices = 0;  // of the cyclic route's phase I, the first few sent at once; 0: chosen
  Order order = Order::chunk_first;
  std::vector<Index> radices = {};  // levels of phase I; empty: chosen
  Exchange exchange = Exchange::views;
  bool one_process = false;     // views: ranks are threads, and see each other's arrays, not the work buffer alone
  std::vector<int> nodes = {};  // by rank: those with one number see each other's memory; empty: all do, or none
  int per_host = 0;             // ranks that share a host and its cores; 0: those that see each other's memory
  Placement placement = Placement::out_of_place;
  Alltoall alltoall = Alltoall::automatic;
  Overlap overlap = Overlap::automatic;
  bool operator==(const PlanOptions&) const = default;
};

// What one rank sends.
struct Traffic {
  Index words = 0;  // complex numbers, or pairs of reals
  Index messages = 0;
};

// A route's answer: where data lives and, for any rank and direction, what is to be done.
class Plan {
 public:
  Plan(Problem problem, PlanOptions options, Layout in, Layout out, int exchanges, std::string explanation);
  virtual ~Plan() = default;
  virtual RankSchedule rank_schedule(int rank, Direction direction) const = 0;
  // What has to be done once before any run of these, in either direction: see Schedule. On all ranks, or on none.
  virtual std::optional<RankSchedule> preparation(int /*rank*/) const { return {}; }
  virtual Traffic traffic(int rank, Direction direction) const;  // of that schedule,
  virtual Index workspace(int rank, Direction direction) const;  // and its memory besides the caller's, in words

  Schedule schedule(Direction direction) const;  // all ranks
  Layout layout_in() const { return in_; }       // of the forward transform's input and the backward one's output
  Layout layout_out() const { return out_; }
  Data data_in() const { return problem_.data; }
  Data data_out() const { return spectrum_data(problem_); }
  const Problem& problem() const { return problem_; }
  const PlanOptions& options() const { return details().options; }  // with every choice written out
  int exchanges() const { return details().exchanges; }
  const std::string& explanation() const { return details().explanation; }
  const std::string& way() const { return details_.explanation; }  // what of it was known when it was made

 protected:
  struct Details {
    PlanOptions options;
    int exchanges = 0;
    std::string explanation = {};
  };
  // Of the plans that are compared most are not taken, so they may find these out when somebody asks.
  virtual const Details& details() const { return details_; }

 private:
  Problem problem_;
  Layout in_, out_;
  Details details_;
};

// What a route makes of a problem: a plan, or why it does not apply.
struct Candidate {
  std::string route = {};
  std::unique_ptr<Plan> plan = {};
  std::string reason = {};
  int busy = 0;  // ranks that always have something to do; 0: all that own anything
};

// That of every route (see route.hpp), in order of preference. Throws Error when the problem or options make no sense.
std::vector<Candidate> candidates(const Problem& problem, int ranks, const PlanOptions& options = {});

// The fastest of them on the planner's profile (forecast.hpp), of those that keep as many ranks busy as can be where
// the layouts are the planner's to choose. Throws Error when the options ask for what cannot be done, and says what
// can.
std::unique_ptr<Plan> plan(const Problem& problem, int ranks, const PlanOptions& options = {});

// From one layout to another and, backward, the other way, without transforming anything. Throws Error when they
// differ in shape or in the number of ranks.
std::unique_ptr<Plan> plan_redistribution(const Layout& from, const Layout& to, Data data,
                                          const PlanOptions& options = {});

std::string_view name(Alltoall alltoall);
std::string_view name(Overlap overlap);

// The names `options.route` may have besides auto, each with a line of explanation.
std::vector<std::pair<std::string, std::string>> route_names();

}  // namespace kallima
