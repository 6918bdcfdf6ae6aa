#pragma once
// Claims about transforms whose messages are sent in fewer bytes, which hold on every transport.

#include "fft_suite.hpp"

namespace kallima {

// Over all ranks, of a result whose parts have the errors `mine`.
inline double over_all_ranks(const Comm& comm, double mine) {
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  comm.transport().gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  double sum = 0;
  for (const double e : all) sum += e * e;
  return std::sqrt(sum);
}

// Forward and backward stay within what the wire promises, are off by about what it observed, and its bytes add up.
template <class T>
WireReport wire_keeps_its_promise(const Comm& comm, const Case& c, const FftOptions& options) {
  Fft<T> fft(c.problem, comm, options);
  EXPECT_EQ(fft.wire_report().bytes_plain, 0) << "planning is not counted";
  const int rank = comm.rank();
  Index words = 0;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const bool ahead = direction == Direction::forward;
    const Layout from = ahead ? fft.layout_in() : fft.layout_out();
    const Layout to = ahead ? fft.layout_out() : fft.layout_in();
    Array<std::complex<T>> in(from.local_size(rank)), out(to.local_size(rank));
    fill(from, rank, c.x, in.data());
    ahead ? fft.forward(in.span(), out.span()) : fft.backward(in.span(), out.span());
    const double off = over_all_ranks(comm, error(to, rank, ahead ? c.forward : c.backward, out.data(), 1));
    const WireReport report = fft.wire_report();
    EXPECT_LT(off, report.choice.limit + tolerance<T>(c.problem)) << text(report) << ", " << fft.plan().explanation();
    EXPECT_LE(report.error, report.choice.limit * 1.001);
    for (int r = 0; r < comm.size(); ++r) words += fft.plan().rank_schedule(r, direction).words_sent();
  }
  const WireReport report = fft.wire_report();
  EXPECT_EQ(report.transforms, 2);
  EXPECT_EQ(report.bytes_plain, words * static_cast<Index>(sizeof(std::complex<T>)));
  return report;
}

// Many at once and begun without waiting give exactly what one by one gives.
template <class T>
void wire_is_the_same_for_many(const Comm& comm, const std::vector<Case>& cases, const FftOptions& options) {
  Fft<T> fft(cases[0].problem, comm, options);
  FieldParts<T> one(fft, cases), many(fft, cases), begun(fft, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) fft.forward(one.sources[i], one.targets[i]);
  const WireReport alone = fft.wire_report();
  fft.forward_many(many.sources, many.targets);
  std::vector<Pending<T>> pending;
  for (std::size_t i = 0; i < cases.size(); ++i)
    pending.push_back(fft.start_forward(begun.sources[i], begun.targets[i]));
  for (Pending<T>& p : pending) p.wait();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(std::equal(one.targets[i].begin(), one.targets[i].end(), many.targets[i].begin()));
    EXPECT_TRUE(std::equal(one.targets[i].begin(), one.targets[i].end(), begun.targets[i].begin()));
  }
  const WireReport all = fft.wire_report();
  EXPECT_EQ(all.bytes_sent, 3 * alone.bytes_sent);
  EXPECT_EQ(all.transforms, 3 * alone.transforms);
  EXPECT_NEAR(all.error, alone.error, 1e-9 * alone.error);
}

}  // namespace kallima
