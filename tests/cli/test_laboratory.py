"""kallima simulate, draw, theory and bench simulate: what they print, to people and to programs."""
import json
import pathlib
import tempfile
import xml.etree.ElementTree

from support import CliTest, main, run


class Simulate(CliTest):
    def simulate(self, schedule, *arguments):
        done = run("simulate", "--schedule", schedule, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_papers_schedules_take_the_times_known_by_hand(self):
        size = ("--n", 1024, "--p", 8)
        hidden = ("--machine", "logp:L=5,o=0,g=5", *size)
        self.assertEqual(self.simulate("output-driven", *hidden)["completion"], 1280)
        self.assertEqual(self.simulate("identity-order", *hidden)["completion"], 1791)
        for o, simple, waiting, driven in ((0, 2612, 1843, 1503), (1, 2614, 1845, 1535)):
            slow = ("--machine", f"logp:L=0,o={o},g=12", *size)
            self.assertEqual(self.simulate("simple", *slow)["completion"], simple)
            self.assertEqual(self.simulate("output-driven", *slow, "--phase2", "waiting")["completion"], waiting)
            self.assertEqual(self.simulate("output-driven", *slow, "--phase2", "input-driven")["completion"], driven)

    def test_a_run_is_replayed_on_other_machines(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, svg = f"{folder}/run.json", f"{folder}/both.svg"
            done = run("bench", "--shape", "32x32x32", "--ranks", 2, "--messages", "--reps", 2, "--trace", trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            network, times = "loggp:L={0},o=0,g=0,G={0},r=1e9", []
            for slow in ("0", "1e-7", "1e-6"):
                done = run("simulate", "--trace", trace, "--machine", network.format(slow), "--svg", svg, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                times.append(report["replayed_s"])
                for rank in report["ranks"]:
                    self.assertAlmostEqual(rank["run"]["computing_s"], rank["replayed"]["computing_s"], delta=1e-4)
            self.assertLess(times[0], times[1])
            self.assertGreater(times[2], 8192 * 1e-6, "what a rank sends takes no less")
            self.assertLessEqual(times[0], report["run_s"] * 1.001, "a network that takes no time")
            xml.etree.ElementTree.parse(svg)
            slower = run("simulate", "--trace", trace, "--machine", "loggp:L=0,o=0,g=0,G=0,r=1e9", "--from",
                         "loggp:L=0,o=0,g=0,G=0,r=2e9", "--json")
            self.assertAlmostEqual(json.loads(slower.stdout)["replayed_s"] / times[0], 2, delta=0.01)
            self.assertEqual(run("simulate", "--svg", svg).returncode, 2)
            pathlib.Path(trace).write_text("{}")
            self.assert_fails(run("simulate", "--trace", trace, "--machine", "10gbe"), 1, "trace")

    def test_every_schedule_has_all_keys(self):
        listed = run("simulate", "--help").stdout.split("Schedules of single", 1)[1]
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line.split()]
        self.assertGreater(len(names), 25)
        for name in names:
            size = ("--shape", "8x8") if name == "slab" else ("--n", 64)
            report = self.simulate(name, *size, "--p", 4)
            self.assertLessEqual({"last_send", "completion", "idle_max", "messages", "words"}, report.keys(), name)
            self.assertLessEqual(report["last_send"], report["completion"], name)
            self.assertGreaterEqual(report["words"], report["messages"], name)
            self.assertEqual(report["messages"] > 0, name != "local", name)

    def test_words_of_the_transforms(self):
        self.assertEqual(self.simulate("cyclic", "--n", 1024, "--p", 8)["words"], 1024 * 7 // 8)
        self.assertEqual(self.simulate("bsp", "--n", 1024, "--p", 8, "--machine", "bsp:g=1,l=1")["words"], 1024 * 7 // 8)
        self.assertEqual(self.simulate("all-cyclic", "--n", 1024, "--p", 8)["messages"], 1024 * 3)

    def test_a_million_processors_are_priced_by_one(self):
        report = self.simulate("cyclic", "--n", 2**36, "--p", 2**18, "--machine", "loggp:L=100,o=5,g=10,G=2")
        self.assertEqual(report["simulated_ranks"], 1)
        self.assertEqual(report["words"], 2**36 - 2**18)

    def test_one_processor_stands_for_all_that_have_something_to_do(self):
        report = self.simulate("cyclic", "--shape", "64x64x64", "--p", 4096)  # on a grid of 8x8x8
        self.assertEqual(report["simulated_ranks"], 1)
        self.assertEqual(report["words"], 64**3 * 511 // 512)
        numbers = ("completion", "last_send", "idle_max", "messages", "words")
        for machine in ("alphabeta:alpha=3,beta=1", "logp:L=5,o=1,g=2", "loggp:L=5,o=1,g=2,G=1", "bsp:g=4,l=100"):
            size = ("--shape", "16x16", "--p", 100, "--machine", machine)  # on a grid of 4x4
            one, all_of_them = self.simulate("cyclic", *size), self.simulate("cyclic", *size, "--pricing", "all")
            self.assertEqual([one[n] for n in numbers], [all_of_them[n] for n in numbers], machine)
            self.assertEqual([one["simulated_ranks"], all_of_them["simulated_ranks"]], [1, 100])

    def test_machines_can_be_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "machine.json"
            file.write_text('{"model": "logp", "parameters": {"L": 5, "o": 0, "g": 5}}')
            report = self.simulate("output-driven", "--n", 1024, "--p", 8, "--machine", file)
            self.assertEqual(report["completion"], 1280)
            self.assertEqual(report["machine"], "logp:L=5,o=0,g=5")

    def test_mistakes_are_named(self):
        for arguments, code, words in (
            (("--schedule", "clever"), 2, "output-driven"),
            (("--machine", "logp:Q=1"), 2, "'Q'"),
            (("--machine", "nowhere.json"), 2, "nowhere.json"),
            (("--n", "1000"), 2, "n = 1000"),
            (("--n", "16", "--p", "8"), 2, "n >= 64"),
            (("--p", "0"), 2, "--p"),
            (("--machine", "logp:P=4"), 1, "P=4"),
            (("--schedule", "simple", "--pricing", "one"), 1, "simple"),
            (("--capacity", "--machine", "alphabeta:alpha=1"), 1, "capacity"),
            (("--schedule", "alltoall-pairwise", "--p", "6"), 2, "6"),
            (("--shape", "4x4"), 2, "--shape"),
            (("--packet", "4"), 2, "--packet"),
            (("--schedule", "all-cyclic", "--phase2", "waiting"), 2, "--phase2"),
            (("--schedule", "simple", "--n", str(2**40)), 2, "too many"),
        ):
            done = run("simulate", *arguments)
            self.assertEqual(done.returncode, code, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Theory(CliTest):
    def theory(self, *arguments):
        done = run("theory", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_sahay(self):
        claims = self.theory("sahay", "--max-n", 64)
        self.assertEqual({c["agreement"] for c in claims}, {"holds", "needs correcting"})
        self.assertTrue(all(c["corrected_agrees"] == c["corrected_cases"] for c in claims))

    def test_bsp_and_collectives(self):
        for paper in ("bsp", "collectives"):
            rows = self.theory(paper)
            self.assertNotIn("differs", {row["agreement"] for row in rows}, paper)
        reversal = [row for row in self.theory("bsp") if row["subject"].startswith("bit reversal of 166, index")]
        self.assertEqual([row["simulated"] for row in reversal], [101])


class Draw(CliTest):
    def draw(self, *arguments):
        done = run("draw", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_all_forms(self):
        size = ("--n", 64, "--p", 4)
        for theme in ("auto", "light", "dark"):
            picture = self.draw(*size, "--as", "svg", "--theme", theme)
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertTrue(root.tag.endswith("svg"))
            self.assertIn("output-driven finishes", picture)
        self.assertIn("traceEvents", json.loads(self.draw(*size, "--schedule", "simple", "--as", "perfetto")))
        self.assertIn("phase II", self.draw(*size, "--as", "text"))

    def test_the_butterfly_shows_the_times_of_figure_two(self):
        picture = self.draw("butterfly", "--n", 8)
        root = xml.etree.ElementTree.fromstring(picture)
        texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
        for time in ("7", "8", "11", "12"):
            self.assertIn(time, texts)

    def test_a_simulated_trace_is_drawn_as_the_schedule_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace.json"
            done = run("simulate", "--schedule", "simple", "--n", 64, "--p", 4, "--trace", trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("idle", self.draw(trace, "--as", "svg"))

    def test_a_saved_schedule_can_be_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "schedule.json"
            done = run("simulate", "--schedule", "cyclic", "--n", 256, "--p", 4, "--save", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("phase II", self.draw(file, "--as", "text"))

    def test_supersteps_hide_nothing(self):
        text = self.draw("--schedule", "bsp", "--n", 4096, "--p", 4, "--machine", "bsp:g=4,l=1000", "--as", "svg")
        self.assertIn("0 % of the communication hidden", text)
        done = run("simulate", "--schedule", "bsp", "--n", 4096, "--p", 4, "--machine", "bsp:g=4,l=1000", "--json")
        total = json.loads(done.stdout)["completion"]
        self.assertIn(f"{total:,} flops" if total >= 10000 else f"{total} flops", text)

    def test_a_bad_name_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("draw", "--out", pathlib.Path(folder) / "picture.png")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--as", done.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


class Bench(CliTest):
    def test_the_simulator_reports_its_speed_and_memory(self):
        done = run("bench", "simulate", "--n", 4096, "--p", 16, "--reps", 1, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        for one in report["runs"]:
            self.assertGreater(one["tasks_per_second"], 0)
            self.assertGreater(one["peak_bytes"], 0)
        self.assertEqual(report["runs"][0]["tasks"], 16 * (256 * 12 + 2 * 240 + 1))


if __name__ == "__main__":
    main()
