#pragma once
// A communicator as the user sees it: a handle to a Transport that can be copied, and reductions over its ranks.

#include <algorithm>
#include <functional>
#include <memory>
#include <ranges>

#include "kallima/trace.hpp"
#include "kallima/transport.hpp"

namespace kallima {

template <class T>
concept Arithmetic = std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>> || std::is_same_v<T, std::complex<long double>>;

class Comm {
 public:
  Comm();  // a world of one rank, this thread
  explicit Comm(std::shared_ptr<Transport> transport);
  Comm(const Comm&) = default;  // moving copies: there is always a transport
  Comm& operator=(const Comm&) = default;
  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }
  Transport& transport() const { return *transport_; }

  // Over all ranks: of one number, or element by element of arrays that are equally long on all ranks, in place. Taken
  // in the order of ranks, so that every rank has the same bits, and every run, too. A NaN makes NaN. Collective.
  template <Arithmetic T>
  T sum(const T& mine) const {
    return reduced(mine, std::plus<T>());
  }
  template <class T>
  requires std::is_arithmetic_v<T> T max(const T& mine)
  const { return reduced(mine, larger<T>); }
  template <class T>
  requires std::is_arithmetic_v<T> T min(const T& mine)
  const { return reduced(mine, smaller<T>); }
  void sum(std::ranges::contiguous_range auto&& values) const { reduce(std::span(values), std::plus<>()); }
  void max(std::ranges::contiguous_range auto&& values) const {
    reduce(std::span(values), larger<std::ranges::range_value_t<decltype(values)>>);
  }
  void min(std::ranges::contiguous_range auto&& values) const {
    reduce(std::span(values), smaller<std::ranges::range_value_t<decltype(values)>>);
  }

 private:
  static constexpr std::size_t at_once = 4096;  // elements of an array that travel together

  template <class T>
  static T larger(const T& a, const T& b) {
    return a != a || a > b ? a : b;
  }
  template <class T>
  static T smaller(const T& a, const T& b) {
    return a != a || a < b ? a : b;
  }

  void begin_reduction() const;                    // says what this rank does
  void begin_reduction(std::size_t length) const;  // and that its array is so long; throws where others' is not

  template <class T>
  T reduced(T mine, const auto& join) const {
    begin_reduction();
    fold(std::span(&mine, 1), join);
    return mine;
  }

  template <class T>
  void reduce(std::span<T> values, const auto& join) const {
    begin_reduction(values.size());
    for (; !values.empty(); values = values.subspan(std::min(at_once, values.size())))
      fold(values.first(std::min(at_once, values.size())), join);
  }

  template <class T>
  void fold(std::span<T> values, const auto& join) const {
    std::vector<T> all(values.size() * at(size()));
    transport_->gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    std::copy_n(all.begin(), values.size(), values.begin());
    for (std::size_t i = values.size(); i < all.size(); ++i)
      values[i % values.size()] = join(values[i % values.size()], all[i]);
  }

  std::shared_ptr<Transport> transport_;
};

// Runs `body` on `ranks` threads of this process, each with its own rank of one communicator, and returns when all
// are done. If one throws, the others are woken with an Error and the first exception is thrown again here; if one
// returns while others wait for it, these are, too.
void run_threads(int ranks, const std::function<void(Comm)>& body);

// What all ranks recorded, as one trace that begins at 0, with the settings of the first that has any. Collective.
// Clocks of different machines are aligned by a few messages; what may be left is in the setting "clock error".
Trace gather(const Comm& comm, const Trace& mine);

}  // namespace kallima
