"""kallima hide: what it writes, what it refuses, and that it leaves nothing behind.

Needs the right to make network namespaces; where that is missing, only the refusal is tested.
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import BIN, ENVIRONMENT, HAS_MPI, MPICH_BIN, CliTest, main, run
from test_netlab import REFUSAL, interfaces, namespaces

KEYS = {"rate_bits_per_s", "computation_s", "communication_s", "kallima_s", "kallima_no_overlap_s", "fftw_default_s",
        "fftw_transposed_s", "fftw_scrambled_s", "prediction_s", "wire_s", "bound_s", "ratio", "hidden_share"}


def hide(*arguments, **options):
    return run("hide", *arguments, timeout=120, **options)


def namespaces_of(process):
    """Others may have labs, too; the names hold the owner's process."""
    return [name for name in namespaces() if name.startswith(f"kallima-{process.pid}-")]


class HideUsage(CliTest):
    def test_mistakes_are_usage_errors_that_say_what_to_write(self):
        out = ("--out", self.path("out"))
        self.assert_fails(hide("--rates", "1gbps", *out), 2, "1gbps", "2.5gbit")
        self.assert_fails(hide("--rates", "1gbit,,2gbit", *out), 2, "--rate")
        self.assert_fails(hide("--shape", "32x0", *out), 2, "32x0")
        self.assert_fails(hide("--ranks", 1, *out), 2, "1")
        self.assert_fails(hide("--ranks", 65, *out), 2, "65")
        self.assert_fails(hide("--against", "heffte", *out), 2, "heffte")
        self.assert_fails(hide("--tuning", "piece=pie", *out), 2, "pie")
        self.assertFalse(self.path("out").exists())

    @unittest.skipUnless(HAS_MPI and os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to give the right up")
    def test_without_the_privilege_it_says_which_is_missing(self):
        done = hide("--out", self.path("out"), prefix=("setpriv", "--bounding-set", "-net_admin"))
        self.assert_fails(done, 1, "CAP_NET_ADMIN", "as root")
        self.assertFalse(self.path("out").exists())

    def test_help_has_examples(self):
        self.assertIn("Examples:", hide("--help").stdout)


@unittest.skipIf(REFUSAL, f"no network lab here: {REFUSAL}")
class Hide(CliTest):
    def start(self, *arguments):
        command = [BIN, "hide", "--out", self.path("out"), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)

    def sweep(self, *arguments, shape="32x32x32"):
        out = self.path("out")
        with self.start("--shape", shape, "--reps", 2, *arguments) as process:
            output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(namespaces_of(process), [])
        return json.loads((out / "hide.json").read_text()), out, output

    def test_everything_is_written_and_agrees_with_itself(self):
        report, out, output = self.sweep("--rates", "2gbit,200mbit")
        self.assertEqual((report["shape"], report["ranks"], report["reps"]), ([32, 32, 32], 2, 2))
        self.assertEqual([p["rate_bits_per_s"] for p in report["points"]], [2e8, 2e9])
        for point in report["points"]:
            self.assertLessEqual(KEYS, point.keys())
            self.assertEqual(point["bound_s"], max(point["computation_s"], point["communication_s"]))
            self.assertAlmostEqual(point["ratio"], point["kallima_s"] / point["bound_s"])
            self.assertAlmostEqual(point["wire_s"], 32**3 / 4 * 128 / point["rate_bits_per_s"])
            self.assertIsNone(point["fftw_scrambled_s"])
            self.assertGreater(point["prediction_s"], 0)
            self.assertIn("loggp:", point["machine"])
        self.assertIn("Gbit/s", output)
        for name in ("hide.svg", "hide.html"):
            self.assertIn("Kallima", (out / name).read_text())
        xml.etree.ElementTree.parse(out / "hide.svg")
        rows = list(csv.DictReader((out / "hide.csv").open()))
        self.assertAlmostEqual(float(rows[1]["kallima_s"]), report["points"][1]["kallima_s"], places=8)
        if shutil.which("rsvg-convert"):
            self.assertEqual((out / "hide.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual([n.name for n in out.iterdir() if n.name.startswith(".")], [])

    def test_the_command_it_prints_gives_the_prediction(self):
        report, _, _ = self.sweep("--rates", "1gbit", "--against", "none")
        point = report["points"][0]
        done = run(*point["simulate"].split()[1:], "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["completion"] / point["prediction_s"], 1, places=4)
        self.assertIsNone(point["fftw_default_s"])

    def test_one_dimension_fields_and_no_limit(self):
        report, out, output = self.sweep("--rates", "none", "--fields", 2, shape="65536")
        point = report["points"][0]
        self.assertIsNone(point["rate_bits_per_s"])
        self.assertIsNone(point["wire_s"])
        self.assertIsNone(point["fftw_transposed_s"])
        self.assertIn("no figure", output)
        self.assertFalse((out / "hide.svg").exists())

    @unittest.skipUnless(MPICH_BIN, "there is no MPICH beside")
    def test_mpich_has_no_fftw_to_compare_with_and_says_so(self):
        report, _, output = self.sweep("--rates", "1gbit", "--mpi", "mpich")
        self.assertIn("MPICH", report["mpi"])
        self.assertIsNone(report["points"][0]["fftw_default_s"])
        self.assertIn("FFTW-MPI was not measured", output)

    def test_a_signal_in_the_middle_leaves_nothing(self):
        before = interfaces()
        with self.start("--shape", "64x64x64", "--reps", 100000, "--rates", "1gbit") as lab:
            deadline = time.time() + 20
            while len(namespaces_of(lab)) < 3 and time.time() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            self.assertEqual(len(namespaces_of(lab)), 3)
            lab.send_signal(signal.SIGINT)
            lab.communicate(timeout=20)
        self.assertEqual(lab.returncode, 128 + signal.SIGINT)
        self.assertEqual(namespaces_of(lab), [])
        self.assertEqual(interfaces(), before)
        self.assertFalse((self.path("out") / "hide.json").exists())


if __name__ == "__main__":
    main()
