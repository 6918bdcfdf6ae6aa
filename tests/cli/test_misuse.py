"""Jobs whose ranks do not do the same, or cannot, end: soon, and with words that say which rank did what.

The jobs are disabled tests of tests/mpi; on threads the same is an Error (tests/fft/misuse_test.cpp).
"""
import os
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import BIN, ENVIRONMENT, MPIRUN, run

SOON = 10  # seconds
# By kind of communicator: what only differs in what is called is tried on one of them.
MISUSES = {
    "in_place": {
        "crossed_transforms": ["rank 0", "rank 1", "forward (shape 16x9) of the plan made in call"],
        "crossed_directions": ["rank 0", "rank 1", "forward (shape 16x9)", "backward (shape 16x9)"],
        "crossed_communicators": ["rank 0", "rank 1", "a barrier"],
        "a_communicator_here": ["rank 0", "rank 1", "making a communicator", "forward"],
        "apply_that_throws": ["rank 1", "not a std::exception"],
        "other_sort_here": ["rank 0", "rank 1", "method", "sample", "bitonic"],
        "reading_here": ["rank 0", "rank 1", "reading", "gathering a trace"],
    },
    "by_messages": {
        "crossed_transforms": ["rank 0", "rank 1", "forward (shape 16x9) of the plan made in call"],
        "crossed_directions": ["rank 0", "rank 1", "forward (shape 16x9)", "backward (shape 16x9)"],
        "a_plan_here": ["rank 0", "rank 1", "planning", "forward"],
        "once_more_here": ["rank 0", "rank 1", "MPI_Finalize", "forward"],
        "sort_here": ["rank 0", "rank 1", "sorting", "forward"],
    },
    "with_a_thread": {
        "crossed_transforms": ["rank 0", "rank 1", "forward (shape 16x9) of the plan made in call"],
    },
}
MPICH_TOO = {
    "in_place": ["crossed_transforms", "apply_that_throws"],
    "by_messages": ["crossed_directions", "once_more_here"],
}
PROGRAMS = [p for p in os.environ.get("KALLIMA_TEST_MPI", "").split(";") if p]  # launcher and program, in turns


def end_of(launcher, program, transport, misuse):
    test = f"of/DISABLED_Misuse.{transport}/{misuse}"
    command = [launcher, "-n", "2", program, "--gtest_also_run_disabled_tests", f"--gtest_filter={test}"]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return f"{command}: still waiting after 30 s"
    took = time.monotonic() - begin
    said = done.stdout + done.stderr
    missing = [word for word in MISUSES[transport][misuse] if word not in said]
    if done.returncode == 0 or missing or took > SOON:
        return f"{command}: exit code {done.returncode} after {took:.1f} s without {missing}: {said}"
    return None


@unittest.skipUnless(PROGRAMS, "built without MPI")
class Misuse(unittest.TestCase):
    def test_ends_the_job_and_says_who_did_what(self):
        jobs = [(launcher, program, transport, misuse)
                for launcher, program, all in zip(PROGRAMS[::2], PROGRAMS[1::2], [MISUSES, MPICH_TOO])
                for transport, misuses in all.items() for misuse in misuses]
        with ThreadPoolExecutor(max_workers=5) as pool:  # they wait most of the time
            failures = [failure for failure in pool.map(lambda job: end_of(*job), jobs) if failure]
        self.assertEqual(failures, [])

    def test_who_waits_long_for_the_first_communicator_says_so(self):
        late = ["--gtest_also_run_disabled_tests", "--gtest_filter=DISABLED_Late.first_communicator"]
        done = subprocess.run([PROGRAMS[0], "-n", "2", PROGRAMS[1], *late], capture_output=True, text=True, timeout=30,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("rank 0 of 2 has waited 10 s for the others to make a communicator", done.stderr)

    def test_a_node_with_too_little_shared_memory_is_told(self):
        small = "mount -t tmpfs -o size=32k tmpfs /dev/shm && exec"
        if subprocess.run(["unshare", "-m", "sh", "-c", f"{small} true"], capture_output=True).returncode != 0:
            self.skipTest("no right to make /dev/shm small")
        bench = f"{MPIRUN} -n 2 {BIN} bench --shape 16x16x16 --reps 1 --transport mpi --effort estimate"
        done = run("-m", "sh", "-c", f"{small} {bench}", program="unshare", timeout=SOON)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/dev/shm has room for", done.stderr)


if __name__ == "__main__":
    unittest.main()
