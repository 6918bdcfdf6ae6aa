#pragma once
// The transform of residues modulo one prime that holds them as columns and leaves them as rows
// (plan/routes/twisted.hpp): a number's digits then come in runs.

#include <memory>
#include <span>

#include "kallima/comm.hpp"
#include "kallima/fft.hpp"
#include "plan/routes/twisted.hpp"

namespace kallima {

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
