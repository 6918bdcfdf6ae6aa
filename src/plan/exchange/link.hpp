#pragma once
// A chain is a plan made of links, each of which takes the array from one layout to the next: by transforming axes that
// every rank holds whole, by exchanging, or as another route does. A link writes its own schedule from `in` to `out` as
// if it were alone; joining them is compose()'s affair.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima {

// An array between two links.
struct Holding {
  Layout layout;
  Data data = Data::complex_;
  Storage storage = {};
};

class Link {
 public:
  Link(Holding in, Holding out, int exchanges) : in_(std::move(in)), out_(std::move(out)), exchanges_(exchanges) {}
  virtual ~Link() = default;

  virtual RankSchedule rank_schedule(int rank, Direction direction) const = 0;  // backward: from out() to in()
  virtual std::string text() const = 0;

  const Holding& in() const { return in_; }
  const Holding& out() const { return out_; }
  int exchanges() const { return exchanges_; }

 private:
  Holding in_;
  Holding out_;
  int exchanges_;
};

using Links = std::vector<std::shared_ptr<const Link>>;

// One axis and what is done along it.
struct AxisKind {
  std::size_t axis = 0;
  Kind kind = Kind::fourier;
};

// How a link cuts its work so that messages travel while others are made: into `count` parts of each rank's (or
// block's) own extent of dimension `dim`.
struct Parts {
  std::size_t dim = 0;
  Index count = 1;
};

// Part number `part` of `extent` elements.
inline Progression part_of(Index extent, const Parts& parts, Index part) {
  const Index begin = part * extent / parts.count;
  return {begin, 1, (part + 1) * extent / parts.count - begin};
}

// Transforms axes that all ranks hold whole, in the given order (backward: the other way round, by inverse kinds), and
// leaves the result as `storage` says. Without axes it only stores the array in another way.
std::shared_ptr<const Link> local_link(const Holding& in, std::vector<AxisKind> axes, const Storage& storage,
                                       const Parts& parts);

// Exchanges, so that the array is laid out as `to` says (it holds the same as `in`).
std::shared_ptr<const Link> exchange_link(const Holding& in, const Holding& to, const Parts& parts, Exchange exchange);

// What another route does with complex numbers.
std::shared_ptr<const Link> plan_link(std::unique_ptr<Plan> plan);

bool holds_whole(const Layout& layout, std::size_t dim);             // on every rank that owns anything
Layout with_extent(const Layout& layout, std::size_t dim, Index n);  // of a layout that holds `dim` whole
Index words(Index elements, Data data);                              // two reals are a word

// All links as one schedule. Links meet in the work buffer, and a task waits for just those of the link before that
// make what it reads.
RankSchedule compose(const Links& links, int rank, Direction direction);

// The plan of a chain; `options` as the route wrote them out, but that it never works in place.
std::unique_ptr<Plan> chain_plan(Links links, Problem problem, PlanOptions options, std::string explanation);

}  // namespace kallima
