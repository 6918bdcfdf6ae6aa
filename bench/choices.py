#!/usr/bin/env python3
"""Does the planner choose well? Thirty problems: what Effort::estimate chooses, against every route that applies, run in turns.

    bench/choices.py build/bin/kallima [--rounds 3] [--seconds 0.3] [--json out.json] [--only 7]

A time is the shortest of its runs, over all rounds. Nothing else should run on the machine meanwhile."""
import argparse
import json
import math
import os
import subprocess
import sys

PROBLEMS = [  # shape, ranks, and what else
    ("64x64x64", 2, ""), ("128x128x128", 2, ""), ("100x100x100", 2, ""), ("96x128x160", 2, ""), ("192x192x192", 2, ""),
    ("81x81x81", 2, ""), ("512x512", 2, ""), ("1024x1024", 2, ""), ("1000x1200", 2, ""), ("2048x512", 2, ""),
    ("65536", 2, ""), ("1048576", 2, ""), ("4194304", 2, ""), ("360360", 2, ""), ("1000000", 2, ""),
    ("128x128x128", 2, "--kind r2c"), ("1024x1024", 2, "--kind r2c"), ("1048576", 2, "--kind r2c"),
    ("96x96x96", 2, "--kind dct2"), ("512x512", 2, "--kind dct2"),
    ("128x128x128", 2, "--in-layout slab --out-layout slab"), ("128x128x128", 2, "--in-layout block:2x1x1 --out-layout block:1x2x1"),
    ("1024x1024", 2, "--in-layout block:2x1 --out-layout block:2x1"), ("1048576", 2, "--in-layout block:2 --out-layout block:2"),
    ("128x128x128", 2, "--in-layout cyclic:2x1x1"), ("128x128x128", 2, "--messages"), ("1048576", 2, "--messages"),
    ("128x128x128", 1, ""), ("64x64x64", 4, ""), ("1048576", 4, "--messages")]


def call(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "KALLIMA_CACHE": os.environ.get("KALLIMA_CACHE", "on")})
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)


ROUTES = ["local", "cyclic", "group-cyclic", "slab", "pencil", "line", "bluestein"]
CUTS = ["--slices 1", "--slices 4", "--slices 16", "--chunks 1", "--chunks 4", "--chunks 32", "--overlap off"]


def seconds(program, problem, how, reps):
    shape, ranks, more = problem
    report = call(program, "bench", "--shape", shape, "--ranks", ranks, *more.split(), "--route", *how.split(), "--effort", "estimate",
                  "--reps", reps, "--json")
    return report and (report["kallima"]["min_s"], report["kallima"].get("route") or report["plan"]["route"])


def compare(program, problem, rounds, budget):
    """Routes as they are cut by themselves, and those that are near in other parts, too, where blocks are sent."""
    found = seconds(program, problem, "auto", 3)
    if found is None:
        sys.exit(f"{problem} could not be run")
    chosen, times = found[1], {"auto": found[0]}
    for route in ROUTES:
        first = seconds(program, problem, route, 2)
        if first is not None:
            times[route] = first[0]
    best = min(times.values())
    routes = [route for route in times if times[route] < 1.5 * best and route not in ("auto", "local")]
    for how in [f"{route} {cut}" for route in routes for cut in CUTS if "--messages" in problem[2]]:
        first = seconds(program, problem, how, 2)
        if first is not None:
            times[how] = first[0]
    best = min(times.values())
    near = [how for how in times if times[how] < 1.5 * best or how == "auto"]
    reps = max(3, min(2000, math.ceil(budget / best)))
    for _ in range(rounds if len(near) > 2 else 0):
        for how in near:
            times[how] = min(times[how], seconds(program, problem, how, reps)[0])
    fastest = min(times, key=times.get)
    return {"problem": " ".join(map(str, problem)).strip(), "chosen": chosen, "fastest": fastest, "seconds": times,
            "ratio": times["auto"] / times[fastest] if len(near) > 2 else 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each route in each round")
    parser.add_argument("--json")
    parser.add_argument("--only", type=int, action="append", help="number of a problem, from 0")
    flags = parser.parse_args()
    results = []
    for number, problem in enumerate(PROBLEMS):
        if flags.only and number not in flags.only:
            continue
        results.append(compare(flags.program, problem, flags.rounds, flags.seconds))
        it = results[-1]
        print(f"{it['problem']:<70} {it['chosen']:<12} {it['fastest']:<22} {100 * (it['ratio'] - 1):5.1f} %", flush=True)
    worse = [it["ratio"] - 1 for it in results]
    print(f"{len(results)} problems: {100 * sum(worse) / len(worse):.1f} % on average, {100 * max(worse):.1f} % at worst")
    if flags.json:
        with open(flags.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
