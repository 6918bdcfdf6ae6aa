#pragma once
// All of Kallima but <kallima/mpi.hpp>, which needs MPI.

#include "kallima/butterfly.hpp"
#include "kallima/collective.hpp"
#include "kallima/comm.hpp"
#include "kallima/draw.hpp"
#include "kallima/exascale.hpp"
#include "kallima/fft.hpp"
#include "kallima/layout.hpp"
#include "kallima/machine.hpp"
#include "kallima/memory.hpp"
#include "kallima/outline.hpp"
#include "kallima/plan.hpp"
#include "kallima/problem.hpp"
#include "kallima/schedule.hpp"
#include "kallima/simulate.hpp"
#include "kallima/trace.hpp"
#include "kallima/transport.hpp"
