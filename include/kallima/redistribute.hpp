#pragma once
// From one layout to another: the exchange of a transform without the transform, cut, pipelined and tuned like it.

#include <cmath>
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
  detail::FftImpl& impl() const;  // throws where it was moved from
  std::unique_ptr<detail::FftImpl> impl_;
};

// The same of numbers.
template <class Item>  // float, double, long double or a std::complex of them
class Redistribution : public AnyRedistribution {
 public:
  Redistribution(const Layout& from, const Layout& to, Comm comm, const FftOptions& options = {})
      : AnyRedistribution(from, to, std::is_floating_point_v<Item> ? Data::real_ : Data::complex_,
                          cpu_backend(detail::precision_of<decltype(std::abs(Item()))>), std::move(comm), options) {}

  void run(std::span<const Item> in, std::span<Item> out) { AnyRedistribution::run(in, out); }
  void run_back(std::span<const Item> in, std::span<Item> out) { AnyRedistribution::run_back(in, out); }
};

// The same once, without a plan to keep. Collective.
template <class Item>
void redistribute(const Layout& from, const Layout& to, std::span<const Item> in, std::span<Item> out,
                  const Comm& comm) {
  Redistribution<Item>(from, to, comm, {.effort = Effort::estimate}).run(in, out);
}

}  // namespace kallima
