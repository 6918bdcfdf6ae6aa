#pragma once
// From one layout to another: the exchange of a transform without the transform, cut, pipelined and tuned like it.

#include <complex>
#include <memory>
#include <span>

#include "kallima/fft.hpp"

namespace kallima {

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

template <class Item>  // float, double, std::complex<float> or std::complex<double>
class Redistribution {
 public:
  // Collective; throws on all ranks or on none.
  Redistribution(const Layout& from, const Layout& to, Comm comm, const FftOptions& options = {});
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;
  ~Redistribution();

  // Collective. The array in the layout `from` stays as it is; both may be one array, as long as the longer of them.
  void run(std::span<const Item> in, std::span<Item> out);
  void run_back(std::span<const Item> in, std::span<Item> out);  // from `to` to `from`

  const Plan& plan() const;
  void record(Trace* trace);  // as an Fft does

 private:
  std::unique_ptr<detail::FftImpl<typename detail::RealOf<Item>::type>> impl_;
};

// The same once, without a plan to keep. Collective.
template <class Item>
void redistribute(const Layout& from, const Layout& to, std::span<const Item> in, std::span<Item> out,
                  const Comm& comm) {
  Redistribution<Item>(from, to, comm, {.effort = Effort::estimate}).run(in, out);
}

extern template class Redistribution<float>;
extern template class Redistribution<double>;
extern template class Redistribution<std::complex<float>>;
extern template class Redistribution<std::complex<double>>;

}  // namespace kallima
