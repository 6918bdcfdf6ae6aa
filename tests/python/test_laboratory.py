#!/usr/bin/env python3
"""Predictions, schedules and machines as objects, and dask arrays where dask is there."""

import itertools
import json
import unittest

import numpy as np

import kallima_fft as kf

try:
    import dask.array as da
except ImportError:
    da = None

MACHINE = "loggp:L=2e-6,o=1e-6,g=1e-7,G=2e-9,r=5e9"


class Laboratory(unittest.TestCase):
    def test_predicts_less_time_on_more_ranks_and_a_better_network(self):
        one, four = (kf.predict((64, 64, 64), ranks, MACHINE) for ranks in (1, 4))
        fast = kf.predict((64, 64, 64), 4, kf.Machine("loggp:L=2e-7,o=1e-7,g=1e-8,G=2e-11,r=5e9"))
        self.assertTrue(fast.time < four.time < one.time)
        self.assertEqual((one.exchanges, four.exchanges, four.unit), (0, 1, "s"))
        self.assertEqual(four.words, 64**3 * 3 // 4)  # (N/P)(1 - 1/P) of each
        self.assertIn("<svg", four._repr_svg_())
        self.assertTrue(json.loads(four.trace.perfetto()))
        self.assertIn("exchanges", repr(four))

    def test_schedules_are_data(self):
        schedule = kf.schedule((16, 16), 4, kind="r2c")
        self.assertEqual(schedule.ranks, 4)
        self.assertIn("send_start", {task["kind"] for task in schedule.tasks(0)})
        self.assertIn("<table>", schedule._repr_html_())

    def test_machines_show_their_numbers(self):
        self.assertIn("<table>", kf.Machine(MACHINE)._repr_html_())
        self.assertRaises(ValueError, kf.Machine, "abacus:beads=7")

    @unittest.skipIf(da is None, "dask is not there")
    def test_dask_arrays_chunked_along_every_axis(self):
        x = np.random.default_rng(0).standard_normal((12, 10, 9))
        chunked = da.from_array(x, chunks=(5, 4, 3))
        names = ("fftn", "ifftn", "rfftn", "ihfftn", "irfftn", "hfftn", "dctn", "idstn")
        for name, norm in itertools.product(names, (None, "ortho")):
            ours, expected = getattr(kf, name)(chunked, norm=norm), getattr(kf, name)(x, norm=norm)
            self.assertTrue(isinstance(ours, da.Array) and ours.dtype == expected.dtype and ours.shape == expected.shape)
            self.assertLess(np.abs(ours.compute() - expected).max(), 1e-10, name)
        ours = kf.dct(chunked, type=1, n=14, axis=1, orthogonalize=True).compute()
        self.assertLess(np.abs(ours - kf.dct(x, type=1, n=14, axis=1, orthogonalize=True)).max(), 1e-12)
        self.assertLess(np.abs(kf.fft(chunked, n=7, axis=0).compute() - kf.fft(x, n=7, axis=0)).max(), 1e-12)


if __name__ == "__main__":
    unittest.main()
