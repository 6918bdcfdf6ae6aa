#pragma once
// What an Fft holds: the plan, its schedules compiled for both directions, and a pipeline to run them in.

#include <algorithm>
#include <functional>
#include <optional>

#include "execute/pipeline.hpp"
#include "kallima/fft.hpp"

namespace kallima {

// An array of the caller's, as reals: a complex number is two of them.
template <class T>
struct Reals {
  Reals(std::span<T> array) : reals(array) {}
  Reals(std::span<std::complex<std::remove_const_t<T>>> array)
      : reals(reinterpret_cast<T*>(array.data()), 2 * array.size()), data(Data::complex_) {}
  Reals(std::span<const std::complex<std::remove_const_t<T>>> array) requires std::is_const_v<T>
      : reals(reinterpret_cast<T*>(array.data()), 2 * array.size()), data(Data::complex_) {}

  std::size_t items() const { return data == Data::complex_ ? reals.size() / 2 : reals.size(); }

  std::span<T> reals;
  Data data = Data::real_;
};

std::string describe(const Layout& layout);  // in full, unlike its text

// The caller's arrays as the programs want them. A plan made for one placement serves the other through a copy.
template <class T>
struct Arrays {
  std::span<const T> in;
  std::span<T> out;
  const T* source = nullptr;
  T* target = nullptr;
  Array<std::complex<T>> copy = {};
};

// Of a number that every rank has. Collective.
template <class Number>
Number largest_of_all(Transport& transport, Number mine) {
  std::vector<Number> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return *std::max_element(all.begin(), all.end());
}

template <class T>
struct Compiled {
  std::unique_ptr<Plan> plan;
  std::vector<Program<T>> programs;  // forward, backward
  Index size(Buffer b) const {
    Index most = 0;
    for (const Program<T>& program : programs) most = std::max(most, program.schedule().size(b));
    return most;
  }
};

// What apply() runs: forward, the caller's function and backward in one program.
template <class T>
struct Applied {
  Compiled<T> compiled;
  std::unique_ptr<Pipeline<T>> pipeline;
  WaveNumbers numbers;
  Index spectrum;  // where it begins in the work buffer, in complex numbers
};

template <class T>
struct detail::FftImpl {
  using Complex = std::complex<T>;

  using Planner = std::function<std::unique_ptr<Plan>(const PlanOptions&)>;

  FftImpl(Problem asked, Comm world, FftOptions given);
  FftImpl(Planner how, const std::string& description, Comm world, FftOptions given);

  Compiled<T> compile(const PlanOptions& plan_options) const;
  std::unique_ptr<Pipeline<T>> make_pipeline(const Compiled<T>& c) const;
  void settle_wire();
  WireReport wire_report() const;  // collective
  void choose_by_trying();
  bool choice_is_open() const;

  std::vector<std::pair<std::string, std::string>> settings() const;  // for a trace
  struct Side {                                                       // of a run: what an array must be
    Data data;
    Index size;
  };
  Side side(Direction before) const;  // what that direction begins with
  void check(const Reals<const T>& in, const Reals<T>& out, const Side& from, const Side& to) const;
  T factor(Norm norm) const;
  Arrays<T> arrays(std::span<const T> in, std::span<T> out);
  int begin(Direction direction, Arrays<T>& arrays, Norm norm, Only part);
  void end(int slot, Arrays<T>& arrays);  // waits for it and takes the result to the caller
  void run(Direction direction, const Reals<const T>& in, const Reals<T>& out, Norm norm, Only part = Only::everything);
  void run_many(Direction direction, const std::vector<Reals<const T>>& in, const std::vector<Reals<T>>& out,
                Norm norm);
  std::unique_ptr<Plan> plan_elsewhere() const;
  void prepare_apply();
  void run_applied(const Reals<const T>& in, const Reals<T>& out, const kernel::Apply<T>& visit, Norm norm);
  void apply(const Reals<const T>& in, const Reals<T>& out, const OnLines<T>& f, Norm norm);
  Pending<T> start(Direction direction, const Reals<const T>& in, const Reals<T>& out, Norm norm);

  // A rank that fails alone would leave the others waiting for its messages.
  template <class Action>
  auto guarded(const Action& action) const {
    try {
      return action();
    } catch (const std::exception& error) {
      if (!transport->survives_exceptions()) transport->abort(error.what());
      throw;
    }
  }

  Planner planner;
  Comm comm;
  FftOptions options;
  WireChoice wire;
  WireTally tally;
  std::unique_ptr<Transport> transport;
  Compiled<T> compiled;
  double points = 1;
  Array<Complex> kept;      // a copy's memory, for the next one
  std::vector<bool> taken;  // slots of the pipeline
  std::unique_ptr<Pipeline<T>> pipeline;
  std::unique_ptr<Applied<T>> applied;  // from the first apply() on
  Trace* trace = nullptr;
};

template <class T>
struct Pending<T>::State {
  State(detail::FftImpl<T>& owner, int number, Arrays<T> a) : fft(owner), slot(number), arrays(std::move(a)) {}
  detail::FftImpl<T>& fft;
  int slot;
  Arrays<T> arrays;
};

}  // namespace kallima
