"""kallima predict and explain: seconds for any machine, with an interval, over numbers of ranks; and a history."""
import json
import os
import pathlib
import resource
import tempfile

from support import ENVIRONMENT, CliTest, main, run

SLOW = "loggp:L=1e-5,o=1e-6,g=1e-6,G=4e-7,r=1e9"
FAST = "loggp:L=1e-6,o=1e-7,g=1e-7,G=1e-10,r=1e9"


class Predict(CliTest):
    def predict(self, *arguments):
        done = run("predict", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_answer_has_an_interval_stages_memory_and_scaling(self):
        report = self.predict("--shape", "64x64x64", "--ranks", 4)
        self.assertLess(report["low_s"], report["predicted_s"])
        self.assertLess(report["predicted_s"], report["high_s"])
        self.assertAlmostEqual(sum(s["seconds"] for s in report["stages"]), report["computation_s"], places=9)
        self.assertGreaterEqual(report["array_bytes_per_rank"], 2 * 16 * 64**3 // 4)
        self.assertIn(report["best_ranks"], [p["ranks"] for p in report["strong"]])
        self.assertIn(4, [p["ranks"] for p in report["weak"]])

    def test_a_slower_network_takes_longer(self):
        slow = self.predict("--shape", "32x32x32", "--ranks", 4, "--machine", SLOW)
        fast = self.predict("--shape", "32x32x32", "--ranks", 4, "--machine", FAST)
        self.assertGreater(slow["predicted_s"], 1.5 * fast["predicted_s"])

    def test_many_ranks_are_predicted_in_seconds(self):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        report = self.predict("--shape", "32768x32768x32768", "--ranks", 32768, "--machine", FAST)
        self.assertGreater(report["predicted_s"], 0)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, 5)

    def test_published_runs_stand_beside_machines_that_have_names(self):
        report = self.predict("--shape", "64x64x64", "--ranks", 16, "--machine", "frontier")
        self.assertEqual(report["published"][0]["machine"].split(",")[0], "Frontier")
        for it in report["published"]:
            self.assertTrue(it["source"])
        self.assertGreater(report["published"][-1]["published_s"], 0)
        self.assertEqual(self.predict("--shape", "64x64x64", "--ranks", 4, "--machine", FAST)["published"], [])

    def test_every_candidate_is_explained_by_its_seconds(self):
        done = run("explain", "--shape", "64x64x64", "--ranks", 4, "--json")
        report = json.loads(done.stdout)
        for candidate in report["candidates"]:
            self.assertNotIn("cost", candidate)
            self.assertTrue(candidate["reason"])
            if candidate["applies"]:
                self.assertGreater(candidate["predicted_s"], 0)
                self.assertIn("measured_s", candidate)

    def test_what_was_measured_is_reviewed_beside_what_was_predicted(self):
        with tempfile.TemporaryDirectory() as folder:
            ENVIRONMENT.update({"XDG_CACHE_HOME": folder, "KALLIMA_CACHE": "on"})
            try:
                done = run("bench", "--shape", "32x32x32", "--ranks", 2, "--reps", 3)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("predicted", done.stdout)
                with open(os.path.join(folder, "kallima", "history.jsonl"), "a") as file:
                    file.write("torn li")
                report = self.predict("--review")
            finally:
                ENVIRONMENT["KALLIMA_CACHE"] = "off"
        self.assertEqual(len(report["points"]), 1)
        self.assertGreater(report["points"][0]["measured_s"], 0)

    def test_costs_that_a_file_leaves_out_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.json"
            path.write_text('{"model": "loggp", "word_bytes": 1, "parameters": {"G": 1e-10, "r": 1e9}}')
            report = self.predict("--shape", "32x32x32", "--ranks", 4, "--machine", path)
            simulated = run("simulate", "--schedule", "cyclic", "--n", 4096, "--p", 4, "--machine", path)
        self.assertEqual([cost.split("=")[0] for cost in report["assumed"]], ["m", "L", "o", "g"])
        self.assertIn("leaves out", simulated.stdout)

    def test_a_file_that_is_no_machine_is_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.json"
            path.write_text("{}")
            done = run("predict", "--shape", "8x8", "--ranks", 2, "--machine", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn(str(path), done.stderr)


if __name__ == "__main__":
    main()
