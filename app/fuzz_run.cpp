// Forward is compared with the reference, backward of that with the input, and arrays that must stay as they were with
// a copy. A rank's own elements are visited by their progressions: looking up each by itself would take longer than
// the transform.

#include "app/fuzz_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/check.hpp"
#include "app/device.hpp"
#include "app/fuzz_random.hpp"
#include "bench/analytic.hpp"
#include "bench/collect.hpp"

namespace kallima::cli {
namespace {

// Times the unit roundoff and log2 N: ten times what a good transform of random numbers makes, far less than any
// misplaced element.
constexpr double tolerance_factor = 4;

// Calls visit(t, place): element t of the rank's array, as it is stored, has the global row-major index `place`.
template <class Visit>
void visit_owned(const Layout& layout, const Storage& storage, int rank, const Visit& visit) {
  const std::vector<Progression> owned = layout.owned(rank);
  const std::vector<Index> strides = strides_of(storage, layout.local_shape(rank));
  Shape at(owned.size(), 0);
  const Index count = layout.local_size(rank);
  for (Index i = 0; i < count; ++i) {
    Index t = 0, place = 0;
    for (std::size_t k = 0; k < owned.size(); ++k) {
      t += at[k] * strides[k];
      place = place * layout.shape()[k] + owned[k].first + at[k] * owned[k].step;
    }
    visit(static_cast<std::size_t>(t), static_cast<std::size_t>(place));
    for (std::size_t k = owned.size(); k-- > 0;) {
      if (++at[k] < owned[k].count) break;
      at[k] = 0;
    }
  }
}

// Arrays where the transform works on them: where they are or, for a device, copies in its memory.
template <class T>
class Placed {
 public:
  Placed(std::vector<std::vector<T>>& arrays, const Backend* device) : arrays_(arrays), device_(device) {
    for (std::vector<T>& array : arrays_) {
      if (device_ == nullptr) continue;
      copies_.push_back(device_->allocate(array.size() * sizeof(T)));
      device_->copy(copies_.back().get(), reinterpret_cast<const std::byte*>(array.data()), array.size() * sizeof(T));
    }
  }

  template <class Item>
  std::span<Item> view(std::size_t i, Index reals) const {
    std::byte* const at = device_ != nullptr ? copies_[i].get() : reinterpret_cast<std::byte*>(arrays_[i].data());
    return {reinterpret_cast<Item*>(at), static_cast<std::size_t>(reals) * sizeof(T) / sizeof(Item)};
  }

  void back() const {
    for (std::size_t i = 0; i < copies_.size(); ++i)
      device_->copy(reinterpret_cast<std::byte*>(arrays_[i].data()), copies_[i].get(), arrays_[i].size() * sizeof(T));
  }

 private:
  std::vector<std::vector<T>>& arrays_;
  const Backend* device_;
  std::vector<std::shared_ptr<std::byte>> copies_;
};

template <class T>
class CaseRun {
 public:
  CaseRun(const FuzzCase& it, const FuzzTruth& truth, const Comm& comm)
      : it_(it),
        truth_(truth),
        comm_(comm),
        backend_(device_backend(it.device, it.problem.precision, comm.rank())),
        fft_(it.problem, comm, with_backend(it.options)) {}

  FuzzOutcome run();

 private:
  using Complex = std::complex<T>;

  struct End {  // of the transform
    Layout layout;
    Storage storage;
    Data data;
    const Values& values;
    double scale;
  };
  using Arrays = std::vector<std::vector<T>>;

  FftOptions with_backend(FftOptions options) const {
    if (backend_) options.backend = backend_;
    return options;
  }

  Index reals(const End& e) const {
    return stored_size(e.storage, e.layout.local_shape(comm_.rank())) * (e.data == Data::real_ ? 1 : 2);
  }
  std::vector<T> filled(const End& e, Index room) const;
  double error(const End& e, const Arrays& arrays) const;
  double go(Direction direction, const End& from, const End& to, Arrays& arrays);
  template <class In, class Out>
  void call(Direction direction, const Placed<T>& in, const Placed<T>& out, const End& from, const End& to);
  template <class In, class Out>
  void call_many(Direction direction, const std::vector<std::span<const In>>& in,
                 const std::vector<std::span<Out>>& out, Norm norm);
  double scale_of(Norm norm) const;
  static bool alike(const Arrays& a, const Arrays& b);

  const FuzzCase& it_;
  const FuzzTruth& truth_;
  const Comm& comm_;
  std::shared_ptr<const Backend> backend_;  // of a device
  Fft<T> fft_;
  double changed_ = 0;  // elements of arrays that should have stayed as they were
};

template <class T>
double CaseRun<T>::scale_of(Norm norm) const {
  const auto n = static_cast<double>(transformed_count(it_.problem));
  return norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(n) : 1 / n;
}

template <class T>
std::vector<T> CaseRun<T>::filled(const End& e, Index room) const {
  std::vector<T> array(static_cast<std::size_t>(std::max(room, reals(e))));
  visit_owned(e.layout, e.storage, comm_.rank(), [&](std::size_t t, std::size_t place) {
    const std::complex<double> value = e.values[place] * e.scale;
    array[e.data == Data::real_ ? t : 2 * t] = static_cast<T>(value.real());
    if (e.data == Data::complex_) array[2 * t + 1] = static_cast<T>(value.imag());
  });
  return array;
}

template <class T>
double CaseRun<T>::error(const End& e, const Arrays& arrays) const {
  ErrorSums sums;
  for (const std::vector<T>& array : arrays)
    visit_owned(e.layout, e.storage, comm_.rank(), [&](std::size_t t, std::size_t place) {
      const std::complex<double> expected = e.values[place] * e.scale;
      const std::complex<double> got =
          e.data == Data::real_
              ? std::complex<double>(static_cast<double>(array[t]))
              : std::complex<double>(static_cast<double>(array[2 * t]), static_cast<double>(array[2 * t + 1]));
      sums.difference += std::norm(got - expected);
      sums.expected += std::norm(expected);
    });
  return relative_error(comm_.transport(), sums);
}

template <class T>
template <class In, class Out>
void CaseRun<T>::call_many(Direction direction, const std::vector<std::span<const In>>& in,
                           const std::vector<std::span<Out>>& out, Norm norm) {
  const std::span<const std::span<const In>> from(in);
  const std::span<const std::span<Out>> to(out);
  if constexpr (requires { fft_.forward_many(from, to, norm); })
    if (direction == Direction::forward) return fft_.forward_many(from, to, norm);
  if constexpr (requires { fft_.backward_many(from, to, norm); })
    if (direction == Direction::backward) return fft_.backward_many(from, to, norm);
}

template <class T>
template <class In, class Out>
void CaseRun<T>::call(Direction direction, const Placed<T>& in, const Placed<T>& out, const End& from, const End& to) {
  const bool forward = direction == Direction::forward;
  const Norm norm = forward ? it_.forward : it_.backward;
  std::vector<std::span<const In>> sources;
  std::vector<std::span<Out>> targets;
  const std::size_t count = it_.call == Call::many ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i) sources.push_back(in.template view<const In>(i, reals(from)));
  for (std::size_t i = 0; i < count; ++i) targets.push_back(out.template view<Out>(i, reals(to)));
  if (it_.call == Call::many) return call_many<In, Out>(direction, sources, targets, norm);
  if (it_.call == Call::pending) {
    if constexpr (requires { fft_.start_forward(sources[0], targets[0], norm); })
      if (forward) return fft_.start_forward(sources[0], targets[0], norm).wait();
    if constexpr (requires { fft_.start_backward(sources[0], targets[0], norm); })
      if (!forward) return fft_.start_backward(sources[0], targets[0], norm).wait();
  }
  if constexpr (requires { fft_.forward(sources[0], targets[0], norm); })
    if (forward) return fft_.forward(sources[0], targets[0], norm);
  if constexpr (requires { fft_.backward(sources[0], targets[0], norm); })
    if (!forward) return fft_.backward(sources[0], targets[0], norm);
}

// Padding that nobody has written is not a number, and stays none.
template <class T>
bool CaseRun<T>::alike(const Arrays& a, const Arrays& b) {
  const auto same = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const std::vector<T>& x, const std::vector<T>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  });
}

// Takes `arrays` from one end to the other and returns the error there.
template <class T>
double CaseRun<T>::go(Direction direction, const End& from, const End& to, Arrays& arrays) {
  Arrays made;
  const std::vector<T> unwritten(static_cast<std::size_t>(reals(to)), std::numeric_limits<T>::quiet_NaN());
  if (!it_.in_place) made.assign(arrays.size(), unwritten);
  const Arrays before = it_.in_place ? Arrays{} : arrays;
  const Placed<T> source(arrays, backend_.get()), other(made, backend_.get());
  const Placed<T>& target = it_.in_place ? source : other;
  if (from.data == Data::complex_ && to.data == Data::complex_)
    call<Complex, Complex>(direction, source, target, from, to);
  else if (from.data == Data::complex_)
    call<Complex, T>(direction, source, target, from, to);
  else if (to.data == Data::complex_)
    call<T, Complex>(direction, source, target, from, to);
  else
    call<T, T>(direction, source, target, from, to);
  source.back();
  other.back();
  if (!it_.in_place) {
    if (!alike(before, arrays)) ++changed_;
    arrays = std::move(made);
  }
  return error(to, arrays);
}

template <class T>
FuzzOutcome CaseRun<T>::run() {
  FuzzOutcome outcome{.route = fft_.plan().options().route};
  const double n = static_cast<double>(transformed_count(it_.problem));
  const double there = scale_of(it_.forward);
  const Plan& plan = fft_.plan();
  const End in{plan.layout_in(), it_.problem.storage_in, plan.data_in(), truth_.in, 1};
  const End out{plan.layout_out(), it_.problem.storage_out, plan.data_out(), truth_.out, there};
  const End back{plan.layout_in(), it_.problem.storage_in, plan.data_in(), truth_.in,
                 there * scale_of(it_.backward) * n};
  Arrays arrays(it_.call == Call::many ? 2 : 1, filled(in, it_.in_place ? reals(out) : 0));
  outcome.forward = go(Direction::forward, in, out, arrays);
  outcome.backward = go(Direction::backward, out, back, arrays);
  const double changed = total(comm_.transport(), changed_);
  const auto bad = [&](double error) { return !(error <= truth_.tolerance); };  // what is no number is bad as well
  if (bad(outcome.forward))
    outcome.wrong =
        fmt::format("forward is wrong by {:.2e}, at most {:.2e} is expected", outcome.forward, truth_.tolerance);
  else if (bad(outcome.backward))
    outcome.wrong = fmt::format("forward is right, but there and back is wrong by {:.2e}, at most {:.2e} is expected",
                                outcome.backward, truth_.tolerance);
  else if (changed > 0)
    outcome.wrong = "the array that was to be left as it was has changed";
  return outcome;
}

FuzzOutcome judged(const FuzzCase& it, const FuzzTruth& truth, const Comm& comm) {
  switch (it.problem.precision) {
    case Precision::single_:
      return CaseRun<float>(it, truth, comm).run();
    case Precision::double_:
      return CaseRun<double>(it, truth, comm).run();
    case Precision::long_double:
      return CaseRun<long double>(it, truth, comm).run();
  }
  fail("unknown precision");
}

// Numbers that a float holds exactly, so that all precisions begin with the same.
Values random_values(const FuzzCase& it, const Problem& problem) {
  Random random(it.seed + 1, static_cast<std::uint64_t>(it.number));
  Values values(static_cast<std::size_t>(element_count(problem.shape)));
  const auto draw = [&] { return static_cast<double>(static_cast<float>(random.signed_unit())); };
  for (auto& value : values) {
    value.real(draw());
    value.imag(problem.data == Data::complex_ ? draw() : 0);
  }
  return values;
}

}  // namespace

FuzzTruth truth_of(const FuzzCase& it) {
  const Problem problem = checked(it.problem);
  FuzzTruth truth{.in = random_values(it, problem), .out = {}};
  truth.out = reference(problem, truth.in);
  // The reference is no better than double, so long doubles are judged as doubles.
  const double unit = problem.precision == Precision::single_ ? std::numeric_limits<float>::epsilon()
                                                              : std::numeric_limits<double>::epsilon();
  truth.tolerance = tolerance_factor * unit * std::max(1.0, std::log2(static_cast<double>(transformed_count(problem))));
  return truth;
}

FuzzOutcome run_case(const FuzzCase& it, const FuzzTruth& truth, const Comm& comm) {
  try {
    return judged(it, truth, comm);
  } catch (const Error& error) {
    return {.wrong = fmt::format("threw: {}", error.what())};
  }
}

FuzzOutcome run_case_on_threads(const FuzzCase& it, const FuzzTruth& truth) {
  FuzzOutcome outcome;
  try {
    run_threads(it.ranks, [&](const Comm& comm) {
      const FuzzOutcome mine = judged(it, truth, comm);  // what one rank throws must leave it, to wake the others
      if (comm.rank() == 0) outcome = mine;
    });
  } catch (const std::exception& error) {
    outcome.wrong = fmt::format("threw: {}", error.what());
  }
  return outcome;
}

std::string validation_of(const FuzzCase& it) {
  try {
    PlanOptions options = it.options.plan;
    for (const bool one_process : {false, true}) {
      options.one_process = one_process;
      const std::unique_ptr<Plan> made = plan(it.problem, it.ranks, options);
      const bool in_place = made->options().placement == Placement::in_place;
      for (const Direction direction : {Direction::forward, Direction::backward})
        validate(made->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate);
      if (options.exchange == Exchange::messages) break;  // where it makes no difference
    }
  } catch (const Error& error) {
    return fmt::format("schedule is not valid: {}", error.what());
  }
  return "";
}

}  // namespace kallima::cli
