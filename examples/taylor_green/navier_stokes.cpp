#include "navier_stokes.hpp"

#include <cmath>

namespace taylor_green {

using kallima::Index;

namespace {

// Plans are not tried out but estimated: which one is quicker may change from run to run, and with it the last bits.
constexpr kallima::Effort effort = kallima::Effort::estimate;

void multiply(const kallima::Spans<Real>& u, const kallima::Spans<Real>& w, const kallima::Spans<Real>& out) {
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    for (std::size_t t = 0; t < out[c].size(); ++t) out[c][t] = u[a][t] * w[b][t] - u[b][t] * w[a][t];
  }
}

kallima::Spans<Real> three_of(const Values& fields, Index first) {
  return {fields[first], fields[first + 1], fields[first + 2]};
}

// y + factor * x
void add(const Coefficients& y, double factor, const Coefficients& x, const Coefficients& out) {
  for (std::size_t t = 0; t < out.all().size(); ++t) out.all()[t] = y.all()[t] + factor * x.all()[t];
}

}  // namespace

NavierStokes::NavierStokes(Index n, double viscosity, Dealiasing dealiasing, const kallima::Comm& comm)
    : viscosity_(viscosity),
      box_({n, n, n}, comm, {.fft = {.effort = effort}}),
      velocity_(box_.spectrum(3)),
      vorticity_(box_.spectrum(3)),
      stage_(box_.spectrum(3)),
      slope_(box_.spectrum(3)),
      sum_(box_.spectrum(3)),
      at_points_(box_.field(6)),
      product_(box_.field(3)) {
  if (dealiasing == Dealiasing::three_halves)
    finer_.emplace(box_, 6, 3, kallima::Shape{}, kallima::FftOptions{.effort = effort});
}

void NavierStokes::set_taylor_green() {
  using Point = std::span<const Real>;
  const Values u = box_.field(3);
  box_.sample(u[0], [](Point x) { return std::sin(x[0]) * std::cos(x[1]) * std::cos(x[2]); });
  box_.sample(u[1], [](Point x) { return -std::cos(x[0]) * std::sin(x[1]) * std::cos(x[2]); });
  box_.forward(u, velocity_);
}

void NavierStokes::cross_products(const Coefficients& u, const Coefficients& out) {
  box_.waves().curl(u, vorticity_);
  kallima::Spans<Complex> six = u.spans();
  for (Index c = 0; c < 3; ++c) six.push_back(vorticity_[c]);
  if (finer_)
    return finer_->run(six, out,
                       [](const Values& in, const Values& made) { multiply(three_of(in, 0), three_of(in, 3), made); });
  box_.backward(six, at_points_);
  multiply(three_of(at_points_, 0), three_of(at_points_, 3), product_);
  box_.forward(product_, out);
  box_.waves().truncate(out);
}

void NavierStokes::slope(const Coefficients& u, const Coefficients& out) {
  cross_products(u, out);
  box_.waves().project(out);
  box_.waves().for_each_row([&](const kallima::WaveRow<Real>& row) {
    double others = 0;
    for (const double k : row.fixed) others += k * k;
    for (Index c = 0; c < 3; ++c) {
      const Complex* const from = u[c].data();
      Complex* const to = out[c].data();
      row.along(2, [&](Index t, double k) { to[t] -= viscosity_ * (others + k * k) * from[t]; });
    }
  });
}

void NavierStokes::step(double dt) {
  slope(velocity_, slope_);
  add(velocity_, dt / 6, slope_, sum_);
  for (const auto& [reach, weight] : {std::pair{dt / 2, dt / 3}, {dt / 2, dt / 3}, {dt, dt / 6}}) {
    add(velocity_, reach, slope_, stage_);
    slope(stage_, slope_);
    add(sum_, weight, slope_, sum_);
  }
  std::swap(velocity_, sum_);
}

double NavierStokes::enstrophy() {
  box_.waves().curl(velocity_, vorticity_);
  return box_.waves().mean_square(vorticity_) / 2;
}

const Values& NavierStokes::vorticity() {
  box_.waves().curl(velocity_, vorticity_);
  box_.backward(vorticity_, product_);
  return product_;
}

}  // namespace taylor_green
