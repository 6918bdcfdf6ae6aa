#pragma once
// What a transform needs: problems, layouts, ranks, plans, transforms and work on spectra. <kallima/lab.hpp> has what
// studies them, <kallima/mpi.hpp> what needs MPI.

#include "kallima/backend.hpp"
#include "kallima/comm.hpp"
#include "kallima/execute.hpp"
#include "kallima/fft.hpp"
#include "kallima/file.hpp"
#include "kallima/layout.hpp"
#include "kallima/memory.hpp"
#include "kallima/plan.hpp"
#include "kallima/problem.hpp"
#include "kallima/redistribute.hpp"
#include "kallima/route.hpp"
#include "kallima/schedule.hpp"
#include "kallima/spectral.hpp"
#include "kallima/spectrum.hpp"
#include "kallima/strided.hpp"
#include "kallima/trace.hpp"
#include "kallima/tuning.hpp"
#include "kallima/types.hpp"
#include "kallima/wire.hpp"
