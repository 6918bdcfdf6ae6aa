#pragma once
// Claims about Fft that hold on every transport: each function is called by all ranks of a communicator.

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "kallima/fft.hpp"
#include "kallima/memory.hpp"
#include "reference.hpp"

namespace kallima {

inline std::size_t flat(const Shape& shape, const Shape& j) {
  Index index = 0;
  for (std::size_t k = 0; k < j.size(); ++k) index = index * shape[k] + j[k];
  return static_cast<std::size_t>(index);
}

template <class T>
void fill(const Layout& layout, int rank, const std::vector<Exact>& global, std::complex<T>* local) {
  for (const std::size_t place : places_of(layout, rank)) {
    const Exact& v = global[place];
    *local++ = {static_cast<T>(v.real()), static_cast<T>(v.imag())};
  }
}

// The relative error of this rank's part, against the whole's norm.
template <class T>
double error(const Layout& layout, int rank, const std::vector<Exact>& global, const std::complex<T>* local,
             double scale) {
  double difference = 0;  // of which a few digits are enough
  for (const std::size_t place : places_of(layout, rank)) {
    const Exact v = global[place] * static_cast<long double>(scale) - Exact(local->real(), local->imag());
    difference += std::norm(static_cast<std::complex<double>>(v));
    ++local;
  }
  return std::sqrt(difference) / std::max(norm_of(global) * scale, 1e-150);
}

// A global array and its transforms; made once, used by all ranks.
struct Case {
  Case(Problem p, unsigned seed = 1)
      : problem(checked(p)),
        x(random_values(element_count(problem.shape), seed)),
        forward(reference_dft(problem, x, Direction::forward)),
        backward(reference_dft(problem, x, Direction::backward)) {}
  Problem problem;
  std::vector<Exact> x, forward, backward;
};

template <class T>
double tolerance(const Problem& problem) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) *
         (2 + std::log2(static_cast<double>(transformed_count(problem))));
}

// Forward and backward of c.x, out of place and in place, equal the definition, and `in` is left alone.
template <class T>
void equals_definition(const Comm& comm, const Case& c, const FftOptions& options = {}, Norm norm = Norm::none) {
  Fft<T> fft(c.problem, comm, options);
  const double n = static_cast<double>(transformed_count(c.problem));
  const double scale = norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(n) : 1 / n;
  const int rank = comm.rank();
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const bool ahead = direction == Direction::forward;
    const Layout from = ahead ? fft.layout_in() : fft.layout_out();
    const Layout to = ahead ? fft.layout_out() : fft.layout_in();
    const std::vector<Exact>& expected = ahead ? c.forward : c.backward;
    Array<std::complex<T>> in(from.local_size(rank)), untouched(from.local_size(rank)), out(to.local_size(rank));
    Array<std::complex<T>> both(std::max(in.size(), out.size()));
    fill(from, rank, c.x, in.data());
    fill(from, rank, c.x, untouched.data());
    const auto run = [&](std::span<const std::complex<T>> source, std::span<std::complex<T>> target) {
      ahead ? fft.forward(source, target, norm) : fft.backward(source, target, norm);
      EXPECT_LT(error(to, rank, expected, target.data(), scale), tolerance<T>(c.problem))
          << text(c.problem.shape) << " on " << comm.size() << " ranks, " << fft.plan().explanation()
          << (ahead ? ", forward" : ", backward") << (source.data() == target.data() ? " in place" : "");
    };
    run(in.span(), out.span());
    EXPECT_TRUE(std::equal(in.begin(), in.end(), untouched.begin())) << "the input was written to";
    std::copy(in.begin(), in.end(), both.begin());
    run(both.span(), both.span());
  }
}

// `count` different arrays with their transforms.
inline std::vector<Case> fields(const Problem& problem, std::size_t count) {
  std::vector<Case> all;
  for (unsigned i = 0; i < count; ++i) all.emplace_back(problem, 100 + i);
  return all;
}

// This rank's parts of several arrays, before and after.
template <class T>
struct FieldParts {
  FieldParts(const Fft<T>& fft, const std::vector<Case>& cases, bool in_place = false) {
    const int rank = fft.comm().rank();
    for (const Case& c : cases) {
      in.emplace_back(std::max(fft.local_size_in(), in_place ? fft.local_size_out() : 0));
      out.emplace_back(in_place ? 0 : fft.local_size_out());
      fill(fft.layout_in(), rank, c.x, in.back().data());
      sources.push_back(in.back().span());
      targets.push_back(in_place ? in.back().span() : out.back().span());
    }
  }
  void expect_forward(const Fft<T>& fft, const std::vector<Case>& cases, const char* how) const {
    for (std::size_t i = 0; i < cases.size(); ++i)
      EXPECT_LT(error(fft.layout_out(), fft.comm().rank(), cases[i].forward, targets[i].data(), 1),
                tolerance<T>(cases[i].problem))
          << "field " << i << " of " << cases.size() << " by " << how << ", " << fft.plan().explanation();
  }
  std::vector<Array<std::complex<T>>> in, out;
  std::vector<std::span<const std::complex<T>>> sources;
  std::vector<std::span<std::complex<T>>> targets;
};

// Several transforms at once give what they give one by one, however they are begun and ended.
template <class T>
void many_equal_the_definition(const Comm& comm, const std::vector<Case>& cases, const FftOptions& options) {
  Fft<T> fft(cases[0].problem, comm, options);
  for (const bool in_place : {false, true}) {
    FieldParts<T> parts(fft, cases, in_place);
    fft.forward_many(parts.sources, parts.targets);
    parts.expect_forward(fft, cases, "forward_many");
  }
  FieldParts<T> parts(fft, cases);
  {
    std::vector<Pending<T>> pending;
    for (std::size_t i = 0; i < cases.size(); ++i)
      pending.push_back(fft.start_forward(parts.sources[i], parts.targets[i]));
    while (!pending.back().test()) {
    }
    if (pending.size() > 1) pending.erase(pending.begin() + 1);  // destroying it waits
    pending[0].wait();
    pending[0].wait();  // nothing is left to do
  }
  parts.expect_forward(fft, cases, "start_forward");
}

// Running a part of a transform disturbs no later one.
template <class T>
void rehearsals_leave_no_trace(const Comm& comm, const Case& c, const FftOptions& options) {
  Fft<T> fft(c.problem, comm, options);
  FieldParts<T> parts(fft, {c});
  for (const Only part : {Only::computation, Only::communication, Only::computation})
    fft.rehearse(part, parts.sources[0], parts.targets[0]);
  fft.forward(parts.sources[0], parts.targets[0]);
  parts.expect_forward(fft, {c}, "forward after rehearsals");
}

// By each of the all-to-alls that goes on so many ranks.
inline void equals_definition_by_every_alltoall(const Comm& comm, const Case& c, PlanOptions options) {
  if (comm.size() == 1) return;  // nobody to exchange with
  const int active = plan(c.problem, comm.size(), options)->layout_in().active_ranks();
  for (const Alltoall how : {Alltoall::automatic, Alltoall::direct, Alltoall::pairwise, Alltoall::bruck}) {
    options.alltoall = how;
    if (how == Alltoall::pairwise && !std::has_single_bit(static_cast<unsigned>(active))) {
      EXPECT_THROW(plan(c.problem, comm.size(), options), Error) << active << " ranks have no pairs by xor";
      continue;
    }
    equals_definition<double>(comm, c, {.plan = options, .effort = Effort::estimate}, Norm::ortho);
  }
}

}  // namespace kallima
