// Whether to exchange while computing. Where nothing moves messages on, or the network is faster than the copies it
// takes, chunks cost more than they hide; it is tried rather than guessed. Plans made with less than Effort::measure
// are not worth trying: they overlap.

#include <chrono>
#include <limits>

#include "fft_impl.hpp"

namespace kallima {
namespace {

constexpr int timed_runs = 2;
constexpr double worth = 0.98;  // without overlap must be so much faster to be taken

double largest_of_all(Transport& transport, double mine) {
  std::vector<double> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return *std::max_element(all.begin(), all.end());
}

// Memory for one array of each kind; false on all ranks where one of them has too little.
template <class T>
bool room_for(Transport& transport, Index in, Index out, Array<std::complex<T>>& from, Array<std::complex<T>>& to) {
  try {
    together(transport, [&] {
      from = Array<std::complex<T>>(in);
      to = Array<std::complex<T>>(out);
    });
  } catch (const std::exception&) {  // then there is no trying
    return false;
  }
  return true;
}

// The fastest of a few runs, after one that does not count, as the slowest rank sees it.
template <class Run>
double seconds_of(Transport& transport, const Run& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= timed_runs; ++i) {
    transport.barrier();
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    const double seconds = largest_of_all(transport, passed.count());
    if (i > 0) best = std::min(best, seconds);
  }
  return best;
}

}  // namespace

template <class T>
bool detail::FftImpl<T>::choice_is_open() const {
  const PlanOptions& p = options.plan;
  return p.overlap == Overlap::automatic && p.exchange == Exchange::messages && p.chunks == 0 && p.radices.empty() &&
         options.effort != Effort::estimate && compiled.plan->exchanges() > 0;
}

template <class T>
void detail::FftImpl<T>::choose_overlap() {
  PlanOptions without = options.plan;
  without.overlap = Overlap::off;
  Compiled<T> other;
  together(*transport, [&] { other = compile(without); });
  Array<Complex> in, out;
  if (!room_for<T>(*transport, compiled.plan->layout_in().local_size(comm.rank()),
                   compiled.plan->layout_out().local_size(comm.rank()), in, out))
    return;
  const bool in_place = options.plan.placement == Placement::in_place;
  const auto time = [&](const Compiled<T>& c) {
    const std::unique_ptr<Pipeline<T>> tried = make_pipeline(c);
    return seconds_of(*transport, [&] {
      tried->begin(0, c.programs[0], in_place ? out.data() : in.data(), out.data(), {});
      while (!tried->over(0))
        if (!tried->advance()) tried->rest();
      tried->release(0);
    });
  };
  const double on = time(compiled);
  const double off = time(other);
  if (off < worth * on) compiled = std::move(other);
}

template bool detail::FftImpl<float>::choice_is_open() const;
template bool detail::FftImpl<double>::choice_is_open() const;
template void detail::FftImpl<float>::choose_overlap();
template void detail::FftImpl<double>::choose_overlap();

}  // namespace kallima
