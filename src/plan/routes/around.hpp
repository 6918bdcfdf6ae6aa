#pragma once
// Other routes as part of a chain.

#include "plan/exchange/link.hpp"
#include "plan/choose/route.hpp"

namespace kallima {

using Consider = Answer (*)(const Problem& problem, int ranks, const PlanOptions& options);

// Whether a route may choose all layouts, and has only Fourier transforms of complex numbers to do.
bool plain(const Problem& problem);

// What `route` makes of a plain problem, or of the plain part of another one.
Answer around(Consider route, const Problem& problem, int ranks, const PlanOptions& options);

// Into how many parts, and along which dimension, an exchange is cut.
Parts exchange_parts(const Holding& from, const Layout& to, const PlanOptions& options);

// What a chain does, in words.
std::string explanation(const Links& links, int ranks);

}  // namespace kallima
