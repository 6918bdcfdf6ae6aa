"""The Taylor-Green example against published figures, and against itself after it was killed."""
import csv
import os
import pathlib
import subprocess
import time
import unittest

from support import ALL, ENVIRONMENT, HAS_MPI, MPIRUN, CliTest, main, np

PROGRAM = os.environ["KALLIMA_TAYLOR_GREEN"]


def command(out, *arguments, ranks=2, mpi=False):
    prefix = [MPIRUN, "-n", str(ranks)] if mpi else []
    return [*prefix, PROGRAM, "--out", str(out), *map(str, arguments), *([] if mpi else ["--ranks", str(ranks)])]


def simulate(*arguments, **how):
    result = subprocess.run(command(*arguments, **how), capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    return result


def history(out):
    with open(pathlib.Path(out) / "history.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(out):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(out).iterdir())}


class Turbulence(CliTest):
    def test_energy_is_right_to_twelve_digits_on_any_ranks(self):
        """0.124953117517: M. Mortensen's spectralDNS and mpi4py-fft, 32^3, Re = 1600, t = 0.1."""
        small = ("--n", 32, "--re", 1600, "--time", 0.1, "--dt", 0.01, "--pictures", 0, "--checkpoint", 0)
        cases = [(ranks, mpi, rule) for ranks in (1, 2, 3, 4) for mpi in ((False, True) if HAS_MPI else (False,))
                 for rule in (("2/3", "3/2") if ranks == 2 else ("2/3",))]
        for ranks, mpi, rule in cases if ALL else cases[::3]:
            out = self.path(f"{ranks}{mpi}{rule[0]}")
            simulate(out, *small, "--dealias", rule, ranks=ranks, mpi=mpi)
            self.assertEqual(f"{float(history(out)[-1]['energy']):.12f}", "0.124953117517", (ranks, mpi, rule))

    def test_dissipation_is_within_a_percent_of_brachet(self):
        out = self.path("run")
        result = simulate(out, "--n", 40, "--re", 100, "--time", 2, "--dt", 0.05, "--check", "yes", "--pictures", 0,
                          "--checkpoint", 0)
        self.assertIn("largest difference", result.stdout)
        rows = history(out)
        for before, after in zip(rows[10:], rows[11:]):  # what is lost is what is dissipated
            lost = (float(before["energy"]) - float(after["energy"])) / (float(after["time"]) - float(before["time"]))
            self.assertAlmostEqual(lost / (float(before["dissipation"]) + float(after["dissipation"])) * 2, 1, 3)

    def test_spectra_add_up_to_the_energy(self):
        out = self.path("run")
        simulate(out, "--n", 16, "--time", 0.2, "--dt", 0.05, "--every", 0.1, "--pictures", 0)
        for row, line in zip(history(out), (out / "spectra.csv").read_text().splitlines()[1:]):
            self.assertAlmostEqual(sum(map(float, line.split(",")[2:])), float(row["energy"]), 14)

    def test_killed_and_restarted_leaves_the_same_bytes(self):
        run = ("--n", 24, "--re", 200, "--time", 1, "--dt", 0.01, "--every", 0.02, "--checkpoint", 0.05, "--pictures", 0.25)
        whole, killed = self.path("whole"), self.path("killed")
        simulate(whole, *run, ranks=3)
        with subprocess.Popen(command(killed, *run, ranks=3), stderr=subprocess.DEVNULL, env=ENVIRONMENT) as process:
            while not (killed / "checkpoint.npy").exists() and process.poll() is None:
                time.sleep(0.001)
            process.kill()
        self.assertLess(len(contents(killed)["history.csv"]), len(contents(whole)["history.csv"]))
        simulate(killed, *run, "--restart", "yes", ranks=3)
        names = contents(killed).keys() - {"checkpoint.npy.new", "history.csv.new", "spectra.csv.new"}
        self.assertEqual({name: contents(killed)[name] for name in names}, contents(whole))

    @unittest.skipUnless(HAS_MPI, "built without MPI")
    def test_a_checkpoint_serves_other_ranks_and_numpy(self):
        run = ("--n", 16, "--re", 50, "--dt", 0.02, "--checkpoint", 0.2, "--pictures", 0)
        simulate(self.path("whole"), *run, "--time", 0.4, ranks=2)
        simulate(self.path("split"), *run, "--time", 0.2, ranks=2, mpi=True)
        simulate(self.path("split"), *run, "--time", 0.4, "--restart", "yes", ranks=3, mpi=True)
        one, other = (np.load(self.path(name) / "checkpoint.npy")[0] for name in ("whole", "split"))
        self.assertEqual((one["step"], one["velocity"].shape), (20, (3, 16, 16, 9)))
        self.assertLess(np.abs(one["velocity"] - other["velocity"]).max(), 1e-15)
        values = np.fft.irfftn(one["velocity"], s=(16, 16, 16), axes=(1, 2, 3), norm="forward")
        self.assertAlmostEqual((values**2).sum() / 2 / 16**3, float(history(self.path("whole"))[-1]["energy"]), 14)

    def test_what_does_not_fit_is_refused(self):
        out = self.path("run")
        simulate(out, "--n", 8, "--time", 0.1, "--dt", 0.05, "--checkpoint", 0.05, "--pictures", 0)
        for wrong in (("--re", 7), ("--n", 16), ("--dt", 0.025)):
            arguments = ["--n", 8, "--dt", 0.05, "--restart", "yes", *wrong]
            result = subprocess.run(command(out, *arguments), capture_output=True, text=True, check=False, env=ENVIRONMENT)
            self.assertEqual(result.returncode, 1, wrong)
            self.assertIn("checkpoint.npy is", result.stderr)
        for wrong in (("--nn", 8), ("--n", "many"), ("--dealias", "1/2"), ("--n",)):
            result = subprocess.run(command(out, *wrong), capture_output=True, text=True, check=False, env=ENVIRONMENT)
            self.assertEqual(result.returncode, 1, wrong)


if __name__ == "__main__":
    main()
