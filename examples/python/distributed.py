"""A distributed array, mpi4py and Kallima on one communicator:

    mpirun -n 4 ./kallima python examples/python/distributed.py

Every rank fills its part by global indices, transforms it, takes a derivative in the spectrum and comes back. The
result is compared with NumPy's on one rank, and with what it must be on all."""

import sys

import numpy as np
from mpi4py import MPI

import kallima_fft

comm = MPI.COMM_WORLD
n = (48, 30, 32)
plan = kallima_fft.Plan(n, comm=comm, kind="r2c")
if comm.rank == 0:
    print(plan, plan.explain(), sep="\n")


def wave(i, j, k):
    return np.sin(2 * np.pi * (3 * i / n[0] + 2 * j / n[1])) + 0.1 * np.cos(2 * np.pi * 5 * k / n[2])


u = plan.empty().fill_with(wave)  # u.local is a NumPy array, u.indices say which elements it has
spectrum = plan.forward(u)

k0 = spectrum.indices[0]
spectrum.local *= 1j * np.where(k0 > n[0] // 2, k0 - n[0], k0)  # d/dx, x = 2 pi i / n0
pending = plan.start_backward(spectrum)  # the exchange goes on behind whatever stands here
expected = plan.empty().fill_with(lambda i, j, k: 3 * np.cos(2 * np.pi * (3 * i / n[0] + 2 * j / n[1])) + 0 * k)
derivative = pending.wait()

error = comm.allreduce(np.abs(derivative.local - expected.local).max(initial=0), MPI.MAX)
whole, transformed = u.gather(), plan.forward(u).gather()
if comm.rank == 0:
    difference = np.abs(transformed - np.fft.rfftn(whole)).max()
    print(f"derivative right to {error:.1e}, spectrum equal to NumPy's to {difference:.1e}")
    error = max(error, difference / whole.size)
sys.exit(0 if comm.bcast(error) < 1e-12 else 1)
