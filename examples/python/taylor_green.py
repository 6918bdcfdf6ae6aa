"""The Taylor-Green vortex, a pseudo-spectral solution of Navier and Stokes' equations, on any number of ranks:

    mpirun -n 4 ./kallima python examples/python/taylor_green.py [N] [RE] [TIME] [DT]

Rotational form, products dealiased by the 2/3 rule, Runge and Kutta's fourth-order steps. Prints time, energy and
dissipation. examples/taylor_green is the same in C++, with checkpoints and pictures."""

import sys

import numpy as np
from mpi4py import MPI

import kallima_fft

given = [float(a) for a in sys.argv[1:]]
defaults = [32, 1600, 0.1, 0.01]
n, re, end, dt = given + defaults[len(given):]
n = int(n)
comm = MPI.COMM_WORLD
plan = kallima_fft.Plan((n, n, n), comm=comm, kind="r2c", effort="estimate")

mesh = plan.empty("out").indices
k = [np.where(i > n // 2, i - n, i).astype(float) for i in mesh]
square = sum(i * i for i in k)
kept = np.all(np.broadcast_arrays(*[3 * np.abs(i) < n for i in k]), axis=0)
twice = np.where((mesh[2] == 0) | (2 * mesh[2] == n), 1, 2)  # how often a coefficient counts: the other half is not there


def field(function):
    return plan.empty().fill_with(lambda *j: function(*[2 * np.pi * i / n for i in j]))


def cross(a, b):
    return [a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3] for c in range(3)]


def curl(u):
    return [1j * w for w in cross(k, u)]


def mean_square(u):
    return comm.allreduce(float(sum(np.sum(twice * np.abs(c) ** 2) for c in u))) / n**6


def slope(u):
    values = [f.local for f in plan.backward_many([*u, *curl(u)])]  # six fields through one pipeline
    f = [kept * c.local for c in plan.forward_many(cross(values[:3], values[3:]))]
    pressure = sum(i * c for i, c in zip(k, f)) / np.where(square == 0, 1, square)
    return [c - i * pressure - square / re * v for c, i, v in zip(f, k, u)]


u = [f.local for f in plan.forward_many([
    field(lambda x, y, z: np.sin(x) * np.cos(y) * np.cos(z)),
    field(lambda x, y, z: -np.cos(x) * np.sin(y) * np.cos(z)),
    plan.empty()])]
steps = round(end / dt)
for step in range(steps + 1):
    if comm.rank == 0 and step == 0:
        print("time energy dissipation")
    energy, dissipation = mean_square(u) / 2, mean_square(curl(u)) / re
    if comm.rank == 0 and (step % 10 == 0 or step == steps):
        print(f"{step * dt:.3f} {energy:.12f} {dissipation:.12f}", flush=True)
    if step == steps:
        break
    total, s = [0] * 3, slope(u)
    for reach, weight in ((dt / 2, dt / 6), (dt / 2, dt / 3), (dt, dt / 3), (None, dt / 6)):
        total = [t + weight * d for t, d in zip(total, s)]
        if reach:
            s = slope([v + reach * d for v, d in zip(u, s)])
    u = [v + t for v, t in zip(u, total)]
