#pragma once
// The transform of n = R * Q residues that rank s holds as columns v of a matrix of R rows, x[w * Q + v], and that
// leaves its outputs X[b * R + a] as rows a: one exchange for any number of ranks, and a number's digits come in runs,
// not one by one as in the cyclic layout. It is a transform along columns, factors omega_n^(a v), and one along rows.

#include <memory>
#include <span>

#include "kallima/comm.hpp"
#include "kallima/fft.hpp"

namespace kallima {

struct TwistedShape {
  Index R = 1, Q = 1;
  Index block = 1;  // columns of a rank; the last ranks may have fewer, or none
  Index points() const { return R * Q; }
  Layout columns(int ranks) const { return Layout::slabs({R, Q}, ranks, 1, block); }
  Layout rows(int ranks) const { return Layout::slabs({R, Q}, ranks, 0); }
};

class TwistedNtt {
 public:
  TwistedNtt(const TwistedShape& shape, std::uint64_t prime, const Comm& comm, const PlanOptions& options);
  TwistedNtt(TwistedNtt&&) noexcept;
  ~TwistedNtt();

  void forward(std::span<const double> columns, std::span<double> rows);
  void backward(std::span<const double> rows, std::span<double> columns);  // divides by n
  const Plan& plan() const;
  Index workspace_words() const;
  void record(Trace* trace);

 private:
  std::unique_ptr<detail::FftImpl> impl_;
};

}  // namespace kallima
