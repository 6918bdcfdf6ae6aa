#pragma once
// The rate of energy dissipation that others have found at Re = 100. Points of figure 7 of M. E. Brachet, D. I. Meiron,
// S. A. Orszag, B. G. Nickel, R. H. Morf and U. Frisch, "Small-scale structure of the Taylor-Green vortex", J. Fluid
// Mech. 130, 411-452 (1983), as read off the figure in https://github.com/slitvinov/dns (img/ref.txt).

#include <array>

namespace taylor_green {

struct ReferencePoint {
  double time, dissipation;
};

inline constexpr std::array<ReferencePoint, 14> brachet_re100{{{0.1083, 0.007442},
                                                               {0.5428, 0.007456},
                                                               {1.0550, 0.007821},
                                                               {1.4856, 0.008347},
                                                               {2.0598, 0.009360},
                                                               {2.5193, 0.010286},
                                                               {2.9931, 0.011205},
                                                               {3.4955, 0.012022},
                                                               {4.0121, 0.012620},
                                                               {4.4497, 0.012926},
                                                               {4.8729, 0.013040},
                                                               {5.2888, 0.012961},
                                                               {5.5576, 0.012799},
                                                               {6.0772, 0.012280}}};

}  // namespace taylor_green
