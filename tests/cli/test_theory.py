"""kallima theory: tables for people and for programs."""
import json

from support import CliTest, main, run

CLAIM_KEYS = {"section", "claim", "where", "printed", "printed_value", "unit", "computed", "difference", "agrees",
              "verdict", "note"}


class Exascale(CliTest):
    def report(self, *arguments):
        done = run("theory", "exascale", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_all_keys_are_there_and_the_summary_counts_the_claims(self):
        report = self.report()
        self.assertEqual(report["n"], 21000)
        for claim in report["claims"]:
            self.assertEqual(claim.keys(), CLAIM_KEYS)
            self.assertEqual(claim["agrees"], claim["verdict"] == "agrees")
        summary = report["summary"]
        self.assertEqual(sum(summary.values()), len(report["claims"]))
        self.assertEqual(summary["agree"], sum(claim["agrees"] for claim in report["claims"]))
        self.assertGreater(summary["do_not_follow"], 0)

    def test_figures_are_there_as_data(self):
        report = self.report()
        for column in ("printed", "extrapolated"):
            bars = report["figure5"][column]
            self.assertEqual([bar["name"] for bar in bars], ["GPU", "CPU-1", "CPU-2", "CPU-3"])
            self.assertAlmostEqual(bars[0]["network_s"], 0.52, delta=0.01)
        years = report["figure6"]["years"]
        self.assertEqual(years, list(range(2010, 2021)))
        for ratios in report["figure6"]["memory_to_network"].values():
            self.assertEqual(len(ratios), len(years))

    def test_n_changes_times_and_not_table_1(self):
        small, usual = self.report("--n", 10500), self.report()
        self.assertAlmostEqual(8 * small["figure5"]["printed"][0]["network_s"],
                               usual["figure5"]["printed"][0]["network_s"])
        for a, b in zip(small["claims"], usual["claims"]):
            if a["where"].startswith("Table 1"):
                self.assertEqual(a, b)

    def test_hindsight_compares_with_what_was_published(self):
        hindsight = self.report()["hindsight"]
        self.assertGreaterEqual(len(hindsight["runs"]), 3)
        for it in hindsight["runs"]:
            self.assertTrue(it["source"])
            self.assertAlmostEqual(it["predicted_s"], it["memory_s"] + it["network_s"])
            self.assertTrue(0.5 < it["ratio"] < 2, it)
            self.assertGreater(it["torus_s"], it["network_s"])
        for it in hindsight["switches"]:
            times = [it[k] for k in ("two_exchanges_s", "one_exchange_s", "overlap_s", "wire_s")]
            self.assertEqual(times, sorted(times, reverse=True))

    def test_the_table_fits_and_has_a_summary(self):
        done = run("theory", "exascale")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertIn("do not follow", done.stdout)

    def test_files_are_written_whole_and_nothing_else_is(self):
        done = run("theory", "exascale", "--json", self.path("claims.json"), "--figures", self.path("figures"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(self.path("claims.json").read_text())["claims"])
        figures = sorted(self.path("figures").iterdir())
        self.assertEqual([path.name for path in figures], ["figure5.svg", "figure6.svg"])
        for path in figures:
            self.assertTrue(path.read_text().rstrip().endswith("</svg>"))

    def test_mistakes_are_the_users(self):
        self.assert_fails(run("theory"), 2, "theory")
        self.assert_fails(run("theory", "exascale", "--n", 1), 2, "--n")
        self.path("file").write_text("")
        self.assert_fails(run("theory", "exascale", "--figures", self.path("file") / "below"), 1, "cannot")

    def test_help_has_examples(self):
        for command in (["theory"], ["theory", "exascale"]):
            self.assertIn("Examples:", run(*command, "--help").stdout)


if __name__ == "__main__":
    main()
