#pragma once
// From one layout to another: the exchange of a transform without the transform, cut, pipelined and tuned like it.

#include <complex>
#include <memory>
#include <span>

#include "kallima/fft.hpp"

namespace kallima {

// Of elements of a backend, or of halves of them where data is real.
class AnyRedistribution {
 public:
  // Collective; throws on all ranks or on none.
  AnyRedistribution(const Layout& from, const Layout& to, Data data, std::shared_ptr<const Backend> backend, Comm comm,
                    const FftOptions& options = {});
  AnyRedistribution(AnyRedistribution&&) noexcept;
  AnyRedistribution& operator=(AnyRedistribution&&) noexcept;
  ~AnyRedistribution();

  // Collective. The array in the layout `from` stays as it is; both may be one array, as long as the longer of them.
  void run(ArrayIn in, ArrayOut out);
  void run_back(ArrayIn in, ArrayOut out);  // from `to` to `from`

  const Plan& plan() const;
  void record(Trace* trace);  // as an Fft does

 private:
  std::unique_ptr<detail::FftImpl> impl_;
};

namespace detail {
template <class Item>
struct RealOf {
  using type = Item;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
}  // namespace detail

// The same of numbers.
template <class Item>  // float, double, long double or a std::complex of them
class Redistribution {
 public:
  Redistribution(const Layout& from, const Layout& to, Comm comm, const FftOptions& options = {})
      : any_(from, to, std::is_floating_point_v<Item> ? Data::real_ : Data::complex_,
             cpu_backend(detail::precision_of<typename detail::RealOf<Item>::type>), std::move(comm), options) {}

  void run(std::span<const Item> in, std::span<Item> out) { any_.run(in, out); }
  void run_back(std::span<const Item> in, std::span<Item> out) { any_.run_back(in, out); }
  const Plan& plan() const { return any_.plan(); }
  void record(Trace* trace) { any_.record(trace); }

 private:
  AnyRedistribution any_;
};

// The same once, without a plan to keep. Collective.
template <class Item>
void redistribute(const Layout& from, const Layout& to, std::span<const Item> in, std::span<Item> out,
                  const Comm& comm) {
  Redistribution<Item>(from, to, comm, {.effort = Effort::estimate}).run(in, out);
}

}  // namespace kallima
