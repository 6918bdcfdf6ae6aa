"""kallima fuzz: random transforms, as a user runs them."""
import json

from support import TRANSPORTS, CliTest, main, run


class Fuzz(CliTest):
    def fuzz(self, *arguments):
        done = run("fuzz", "--json", *arguments, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_random_transforms_are_right_on_every_transport(self):
        for transport in TRANSPORTS:
            report = self.fuzz("--cases", 40, "--seed", 11, "--max-ranks", 5, "--max-extent", 24, "--transport",
                               transport)
            self.assertEqual(report["failed"], 0)
            self.assertEqual(report["transports"], {transport: 40})
            self.assertLess(report["worst_error_of_tolerance"], 1)

    def test_twelve_ranks_of_one_job_serve_all_counts(self):
        if "mpi" not in TRANSPORTS:
            self.skipTest("without MPI")
        report = self.fuzz("--cases", 75, "--seed", 12, "--max-extent", 30, "--transport", "mpi")
        self.assertEqual(report["failed"], 0)

    def test_one_case_can_be_run_again(self):
        done = run("fuzz", "--seed", 11, "--case", 7)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kallima fuzz --seed 11 --case 7", done.stdout)

    def test_impossible_limits_are_named(self):
        self.assert_fails(run("fuzz", "--max-ranks", 0), 2, "max-ranks")
        self.assert_fails(run("fuzz", "--transport", "pigeons"), 2, "transport")


if __name__ == "__main__":
    main()
