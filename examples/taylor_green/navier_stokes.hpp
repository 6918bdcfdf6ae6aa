#pragma once
// Incompressible flow in a periodic box of side 2 pi, by Fourier coefficients (Orszag and Patterson 1972): du/dt is the
// divergence-free part of u x w, w = curl u, less viscosity times k^2 u. Products are made at grid points, six fields
// there through one pipeline, three back through another; time steps are the classical fourth-order Runge-Kutta ones.

#include <kallima/kallima.hpp>
#include <optional>

namespace taylor_green {

using Real = double;
using Complex = std::complex<Real>;
using Values = kallima::VectorField<Real>;           // at grid points
using Coefficients = kallima::VectorField<Complex>;  // of the Fourier series

// How products are kept from aliasing: on the same points with the outer third of the wave numbers left empty, or on
// 3/2 of the points along each axis with all of them.
enum class Dealiasing { two_thirds, three_halves };

class NavierStokes {
 public:
  NavierStokes(kallima::Index n, double viscosity, Dealiasing dealiasing, const kallima::Comm& comm);

  void set_taylor_green();  // sin x cos y cos z, -cos x sin y cos z, 0
  void step(double dt);

  double energy() const { return box_.waves().mean_square(velocity_) / 2; }  // these four are collective
  double enstrophy();
  double dissipation() { return 2 * viscosity_ * enstrophy(); }
  std::vector<double> spectrum() const { return box_.waves().energy_spectrum(velocity_); }

  const Coefficients& velocity() const { return velocity_; }
  kallima::Layout layout() { return box_.fft().layout_out(); }  // of each component
  const Values& vorticity();                                    // at grid points; collective
  kallima::PeriodicBox<Real>& box() { return box_; }

 private:
  void cross_products(const Coefficients& u, const Coefficients& out);
  void slope(const Coefficients& u, const Coefficients& out);

  double viscosity_;
  kallima::PeriodicBox<Real> box_;
  std::optional<kallima::DealiasedProduct<Real>> finer_;  // for three halves
  Coefficients velocity_, vorticity_, stage_, slope_, sum_;
  Values at_points_, product_;
};

}  // namespace taylor_green
