"""kallima doctor: it tells the paths between ranks apart, and later runs go by what it found.

What it measures depends on the machine and on who else uses it, so only what must hold anywhere is asserted.
"""
import json
import unittest

import support
from support import BIN, HAS_MPI, MPICH_BIN, MPIRUN, CliTest, main, run
from test_netlab import REFUSAL

TUNING = r"^piece=\d+[km]?,send=\d+,receive=\d+,poll=\d+us,progress=(polling|thread)$"


class Doctor(CliTest):
    def setUp(self):
        super().setUp()
        before = dict(support.ENVIRONMENT)
        self.addCleanup(lambda: support.ENVIRONMENT.update(before))
        self.addCleanup(support.ENVIRONMENT.clear)
        support.ENVIRONMENT["XDG_CACHE_HOME"] = str(self.folder)
        del support.ENVIRONMENT["KALLIMA_CACHE"]

    def cache(self):
        return self.path("kallima") / "doctor.json"

    def examine(self, *arguments, lab=(), program=BIN):
        report = self.path("report.json")
        done = run(*lab, "doctor", *arguments, "--json", report, program=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Kallima will: ", done.stdout)
        result = json.loads(report.read_text())
        report.unlink()
        return result

    def examine_messages(self, path, network, *arguments, **options):
        result = self.examine(*arguments, **options)
        self.assertEqual((result["path"], result["network"]), (path, network), result["found"])
        self.assertRegex(result["tuning"], TUNING)
        self.assertEqual(len(result["rates"]), 30)
        self.assertLessEqual(result["hidden"]["alone"], 1.1)
        return result

    def tuning_of_bench(self, *arguments):
        done = run("bench", "--shape", "16x16x16", "--reps", 1, "--ranks", 2, "--transport", "mpi", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["tuning"], done.stderr

    def test_threads_are_known_and_need_no_cache(self):
        result = self.examine("--ranks", 3)
        self.assertEqual((result["path"], result["ranks"], result["kept_in"]), ("threads", 3, ""))
        self.assertFalse(self.cache().exists())

    @unittest.skipUnless(HAS_MPI, "this build has no MPI")
    def test_ranks_on_one_node_are_known_and_the_finding_is_used_until_it_is_forgotten(self):
        result = self.examine_messages("shared memory", "memory", "--quick", "--transport", "mpi")
        self.assertEqual(result["kept_in"], str(self.cache()))
        self.assertEqual(self.tuning_of_bench()[0], {"words": result["tuning"], "from": "doctor"})
        words = "piece=64k,send=3,receive=7,poll=90us,progress=polling"
        self.assertEqual(self.tuning_of_bench("--tuning", words)[0], {"words": words, "from": "flag"})
        support.ENVIRONMENT["KALLIMA_TUNING"] = words
        self.assertEqual(self.tuning_of_bench()[0], {"words": words, "from": "environment"})
        del support.ENVIRONMENT["KALLIMA_TUNING"]
        support.ENVIRONMENT["KALLIMA_CACHE"] = "off"
        self.assertEqual(self.tuning_of_bench()[0]["from"], "default")
        del support.ENVIRONMENT["KALLIMA_CACHE"]
        self.assertEqual(run("doctor", "--forget").stdout, "forgotten\n")
        self.assertEqual(run("doctor", "--forget").stdout, "there was nothing to forget\n")
        self.assertEqual(self.tuning_of_bench()[0]["from"], "default")

    @unittest.skipUnless(HAS_MPI, "this build has no MPI")
    def test_a_damaged_cache_is_ignored_with_one_warning(self):
        self.cache().parent.mkdir()
        self.cache().write_text('{"entries": {"Open')
        tuning, warnings = self.tuning_of_bench()
        self.assertEqual(tuning["from"], "default")
        self.assertEqual(warnings.count("is of no use"), 1, warnings)

    @unittest.skipUnless(HAS_MPI, "this build has no MPI")
    def test_a_thread_can_be_asked_for(self):
        words = "piece=16k,send=4,receive=8,poll=50us,progress=thread"
        done = run("bench", "--shape", "32x32x32", "--reps", 2, "--ranks", 2, "--transport", "mpi", "--messages",
                   "--tuning", words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["tuning"], {"words": words, "from": "flag"})

    @unittest.skipUnless(HAS_MPI and MPIRUN, "needs mpirun")
    def test_a_single_rank_is_refused(self):
        self.assert_fails(run("-n", 1, BIN, "doctor", program=MPIRUN), 2, "two ranks or more")

    @unittest.skipIf(REFUSAL, f"no network lab here: {REFUSAL}")
    def test_open_mpi_over_tcp_is_known(self):
        lab = ("netlab", "--hosts", 2, "--rate", "4gbit", "--mpi", "openmpi", "--")
        support.ENVIRONMENT["KALLIMA_CACHE"] = "off"
        result = self.examine_messages("messages between hosts", "tcp", "--quick", lab=lab)
        self.assertIn("Open MPI", result["found"])
        self.assertEqual((result["hosts"], result["interface"]), (2, "eth0"))
        self.assertFalse(self.cache().exists())

    @unittest.skipIf(REFUSAL or not MPICH_BIN, f"no network lab with MPICH here: {REFUSAL}")
    def test_mpich_over_tcp_is_known_and_its_remedy_recommended(self):
        lab = ("netlab", "--hosts", 2, "--rate", "4gbit", "--mpi", "mpich", "--")
        result = self.examine_messages("messages between hosts", "tcp", "--quick", "--no-save", lab=lab)
        self.assertIn("MPICH", result["found"])
        self.assertIn("UCX_RNDV_THRESH", " ".join(result["advice"]))


if __name__ == "__main__":
    main()
