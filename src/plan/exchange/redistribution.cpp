// A chain of one exchange.

#include "base/check.hpp"
#include "plan/routes/around.hpp"

namespace kallima {

std::unique_ptr<Plan> plan_redistribution(const Layout& from, const Layout& to, Data data, const PlanOptions& asked) {
  require(from.shape() == to.shape(), "cannot redistribute an array of {} as one of {} (the shapes differ)",
          text(from.shape()), text(to.shape()));
  require(from.ranks() == to.ranks(), "cannot redistribute from {} ranks to {} (give both layouts the same)",
          from.ranks(), to.ranks());
  PlanOptions options = asked;
  options.route = "redistribution";
  const Holding before{from, data};
  const Parts parts = exchange_parts(before, to, options);
  options.chunks = parts.count;
  Problem problem{.shape = from.shape(), .data = data, .in = from, .out = to};
  Links links{exchange_link(before, {to, data}, parts, options.exchange)};
  std::string why = explanation(links, from.ranks());
  return chain_plan(std::move(links), std::move(problem), options, std::move(why));
}

}  // namespace kallima
