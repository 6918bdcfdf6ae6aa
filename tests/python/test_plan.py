#!/usr/bin/env python3
"""Distributed arrays in Python, on however many ranks this is started with: every kind and layout against NumPy's
answer for the whole array, transforms that are under way, errors, and plans that are made and dropped in an order of
each rank's own (a hundred, or as many as the first argument says), which must neither hang nor grow."""

import random
import resource
import sys
import unittest

import numpy as np

import kallima_fft as kf

try:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
except ImportError:  # one rank, without MPI
    world = None

ranks = 1 if world is None else world.size
rounds = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 100


def sample(*indices):
    total = sum((i + 1.0) * (i + 3) * (0.7 + 0.21 * d) for d, i in enumerate(indices))
    return np.sin(total + 0.3) + 0.01 * indices[0]


def resident():
    """KiB of memory that this process holds."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize() // 1024


def spread(whole):
    return whole if world is None else world.bcast(whole)


class Plans(unittest.TestCase):
    def equals(self, plan, expected, dtype=complex):
        u = plan.empty()
        u.fill_with(lambda *j: sample(*j).astype(u.dtype))
        before = u.local.copy()
        v = plan.forward(u)
        self.assertTrue((u.local == before).all())
        whole = u.gather()
        answer = expected(whole) if whole is not None else None
        self.assertLess(np.abs(v.local - spread(answer)[v.slices]).max(initial=0), 1e-9)
        back = plan.backward(v)
        self.assertLess(np.abs(back.local - u.local).max(initial=0), 1e-12)
        return u, v

    def test_equals_numpy_for_every_kind_and_layout(self):
        for shape in ((24,), (12, 10), (8, 9, 10), (7, 5, 3), (16, 16, 4)):
            for layout in (None, "slab", "fftw"):
                self.equals(kf.Plan(shape, world, layout_in=layout, effort="estimate"), np.fft.fftn)
                halved = kf.Plan(shape, world, kind="r2c", layout_in=layout, output="any", effort="estimate")
                self.equals(halved, np.fft.rfftn)
        self.equals(kf.Plan((6, 8, 10), world, axes=(0, 2), effort="estimate"), lambda x: np.fft.fftn(x, axes=(0, 2)))
        self.equals(kf.Plan((6, 8), world, kind="dct2", effort="estimate"), lambda x: kf.dctn(x))
        self.equals(kf.Plan((6, 8), world, kind=["dct2", "dst1"], effort="estimate"),
                    lambda x: kf.dst(kf.dct(x, axis=0), type=1, axis=1))

    def test_single_precision_and_norms(self):
        plan = kf.Plan((8, 8), world, dtype=np.float32, effort="estimate")
        u = plan.empty().fill_with(sample)
        self.assertEqual(u.dtype, np.complex64)
        v = plan.forward(u, norm="ortho")
        whole = u.gather()
        expected = spread(None if whole is None else np.fft.fftn(whole, norm="ortho"))
        self.assertLess(np.abs(v.local - expected[v.slices]).max(initial=0), 1e-5)
        self.assertLess(np.abs(plan.backward(v, norm="ortho").local - u.local).max(initial=0), 1e-5)

    def test_parts_know_their_global_indices(self):
        u = kf.Plan((9, 10), world, effort="estimate").empty()
        u.fill_with(lambda i, j: 100 * i + j)
        whole = u.gather()
        if whole is not None:
            self.assertTrue((whole == 100 * np.arange(9)[:, None] + np.arange(10)).all())
        self.assertTrue(np.shares_memory(np.asarray(u), u.local))

    def test_transforms_under_way_and_many_at_once(self):
        plan = kf.Plan((16, 16), world, effort="estimate")
        u = plan.empty().fill_with(sample)
        expected = plan.forward(u).local
        pending = [plan.start_forward(u), plan.start_forward(u)]
        while not pending[0].test():
            pass
        for p in pending:
            self.assertTrue((p.wait().local == expected).all())
        for v in plan.forward_many([u, u, u]):
            self.assertTrue((v.local == expected).all())

    def test_traces_of_all_ranks(self):
        plan, traces = kf.Plan((16, 16), world, effort="estimate"), []
        u = plan.empty().fill_with(sample)
        with plan.recorded(traces):
            plan.forward(u)
        self.assertEqual({event[0] for event in traces[0].events}, set(range(ranks)))
        self.assertIn("<svg", traces[0]._repr_svg_())
        self.assertGreater(traces[0].duration, 0)

    def test_says_what_it_does_and_what_is_wrong(self):
        plan = kf.Plan((16, 16), world, effort="estimate")
        self.assertIn("exchange", plan.explain())
        self.assertIn("16x16", repr(plan))
        self.assertRaises(ValueError, plan.forward, np.zeros(3))
        self.assertRaises(ValueError, kf.Plan, (4, 0), world)
        self.assertRaises(ValueError, kf.Plan, (4, 4), world, layout_in="hexagons")
        self.assertRaises(ValueError, kf.Plan, (4, 4), world, effort="none")

    def test_plans_come_and_go_in_any_order(self):
        order = random.Random(0 if world is None else world.rank)
        kept, held = [], []
        for i in range(rounds):
            plan = kf.Plan((4 + i % 5, 6), world, effort="estimate")
            kept.append(plan)
            if len(kept) > 8:
                kept.pop(order.randrange(len(kept)))  # not collective
            if i % 7 == 0:
                plan.forward(plan.empty())
            if i in (rounds // 10, rounds // 2, rounds - 1):
                held.append(resident())
        if rounds > 100:
            print(f"rank {0 if world is None else world.rank} of {ranks}: {rounds} plans made and dropped; "
                  f"resident after a tenth, half and all of them: {held} KiB", flush=True)
        self.assertLess(held[2] - held[1], 20_000)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    if world is not None and world.size > 1:
        failed = world.allreduce(failed)
    sys.exit(1 if failed else 0)
