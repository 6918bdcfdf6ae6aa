#pragma once
// What studies transforms: machines, simulation, traces in numbers and pictures, collectives, butterflies node by
// node, the doctor, and what papers claim.

#include "kallima/butterfly.hpp"
#include "kallima/collective.hpp"
#include "kallima/doctor.hpp"
#include "kallima/draw.hpp"
#include "kallima/exascale.hpp"
#include "kallima/figures.hpp"
#include "kallima/machine.hpp"
#include "kallima/outline.hpp"
#include "kallima/overlap.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"
#include "kallima/theory.hpp"
