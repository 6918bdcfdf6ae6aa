"""Runs the program named by KALLIMA_BIN and knows how its answers are judged.

Numbers are compared with NumPy's by relative L2 error, the way the program's promise is stated; failures by exit code
and by the one line on standard error that every failure must leave.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:  # the first python3 on the PATH need not be the one the distribution's NumPy belongs to
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

BIN = os.environ["KALLIMA_BIN"]
MPICH_BIN = os.environ.get("KALLIMA_MPICH_BIN")
ALL = "--all" in sys.argv or "KALLIMA_TEST_ALL" in os.environ  # the full product instead of a covering choice
if "--all" in sys.argv:
    sys.argv.remove("--all")

# Ranks outnumber cores here, and containers run as root; Open MPI wants to be told that both are meant.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "KALLIMA_CACHE": "off",  # what a doctor has found on this machine is not to be tested
}


def run(*arguments, program=BIN, timeout=120, prefix=(), **options):
    command = [*prefix, program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT, **options)


HAS_MPI = "without MPI" not in run("--version").stdout
HAS_FFTW = "without FFTW" not in run("--version").stdout
TRANSPORTS = ["threads", "mpi"] if HAS_MPI else ["threads"]
PROGRAMS_WITH_MPI = [p for p in (BIN if HAS_MPI else None, MPICH_BIN) if p]
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")


def random_array(shape, dtype="complex128", seed=1):
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def relative_error(result, expected):
    scale = np.linalg.norm(np.ravel(expected)) or 1.0
    return np.linalg.norm(np.ravel(result).astype("complex128") - np.ravel(expected)) / scale


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kallima")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return self.folder / name

    def transform(self, array, *arguments, program=BIN):
        """The program's transform of `array`, and the finished process."""
        np.save(self.path("in.npy"), array)
        done = run("fft", "--in", self.path("in.npy"), "--out", self.path("out.npy"), *arguments, program=program)
        self.assertEqual(done.returncode, 0, f"{arguments} {array.shape}: {done.stderr}")
        result = np.load(self.path("out.npy"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["in.npy", "out.npy"])
        self.path("out.npy").unlink()
        return result, done

    def assert_close(self, result, expected, points, what):
        single = result.dtype == np.complex64
        bound = 1e-6 if single else 1e-14 * max(1.0, np.log2(points))
        self.assertEqual(result.shape, expected.shape, what)
        self.assertLessEqual(relative_error(result, expected), bound, what)

    def assert_fails(self, done, code, *parts):
        """Failed with `code`, saying so once and mentioning all of `parts`."""
        lines = [line for line in done.stderr.splitlines() if line.startswith("kallima: ")]
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])


def main():
    unittest.main(verbosity=2)
