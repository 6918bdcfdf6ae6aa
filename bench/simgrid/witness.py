#!/usr/bin/env python3
"""The same schedules under SimGrid's SMPI and in our simulator: a witness that knows nothing of us.

Needs Debian's libsimgrid-dev (smpicxx, smpirun) and a built kallima. Schedules are saved by `kallima simulate --save`
and run by bench/simgrid/witness.cpp as MPI programs, on a flat network, a fat tree with taper 2 and a torus, which
SimGrid shares by max-min fairness, without TCP's corrections. Computing takes no time and links have next to no latency:
what is compared is how messages share links. Prints both times and fails beyond 5 %.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BANDWIDTH, LATENCY, FLOPS = 1e8, 1e-9, 1e15  # bytes per second, seconds a link, operations per second
WORD = 16 * 256  # bytes: SMPI adds 16 to every message, which should not matter
CONFIG = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "smpi/cpu-threshold:-1",
          "smpi/test:0", "smpi/iprobe:0", "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0",
          "smpi/wtime:0", "surf/precision:1e-12"]


def shape_of(ranks):
    return {16: "4x4", 32: "4x4x2", 64: "4x4x4"}.get(ranks)


def platform(network, ranks):
    """SimGrid's description, and ours."""
    word = WORD / BANDWIDTH
    common = f'id="c" prefix="h" suffix="" radical="0-{ranks - 1}" speed="{FLOPS:.0f}f" bw="{BANDWIDTH:.0f}Bps" ' \
             f'lat="{LATENCY:g}s" sharing_policy="SPLITDUPLEX"'
    if network == "flat":
        return f"<cluster {common}/>", f"loggp:L={2 * LATENCY:g},G={word:g},r={FLOPS:g}"
    if network == "fattree":
        leaf, up = 8, 4
        return (f'<cluster {common} topology="FAT_TREE" topo_parameters="2;{leaf},{ranks // leaf};1,{up};1,1"/>',
                f"loggp:L={2 * LATENCY:g},G={word:g},r={FLOPS:g}/"
                f"fattree:shape={leaf}x{ranks // leaf},taper={leaf // up},G={word:g},hop={LATENCY:g}")
    shape = shape_of(ranks)
    return (f'<cluster {common} topology="TORUS" topo_parameters="{shape.replace("x", ",")}"/>',
            f"loggp:L=0,G=0,r={FLOPS:g}/torus:shape={shape},G={word:g},hop={LATENCY:g}")


def write_ranks(schedule, folder):
    for rank in schedule["ranks"]:
        with open(os.path.join(folder, str(rank["rank"])), "w") as out:
            for task in rank["tasks"]:
                kind = task["kind"]
                words = task.get("elements", 0)
                tag = task.get("tag", -1)
                out.write(" ".join(map(str, [kind, task.get("peer", -1), tag, WORD * words, task.get("flops", 0),
                                             task.get("start", -1), *task.get("after", [])])) + "\n")


def smpi(args, xml, folder, ranks, slice_flops):
    path = os.path.join(folder, "platform.xml")
    with open(path, "w") as out:
        out.write('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                  f'<platform version="4.1">{xml}</platform>')
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w") as out:
        out.writelines(f"h{i}\n" for i in range(ranks))
    command = ["smpirun", "-np", str(ranks), "-platform", path, "-hostfile", hosts,
               *[f"--cfg={one}" for one in CONFIG], "--log=root.thres:critical", args.program, folder,
               str(slice_flops)]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("completion"):
            return float(line.split()[1])
    sys.exit(f"SMPI failed: {done.stdout[-500:]}{done.stderr[-1500:]}")


def ours(args, case, machine, sharing):
    command = [args.kallima, "simulate", *case, "--machine", machine, "--sharing", sharing, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["completion"]


def compare(args, network, schedule, shape, ranks):
    case = ["--schedule", schedule, "--shape", shape, "--p", str(ranks)]
    xml, machine = platform(network, ranks)
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "s.json")
        subprocess.run([args.kallima, "simulate", *case, "--machine", "loggp:G=1", "--save", saved], check=True,
                       capture_output=True)
        with open(saved) as text:
            write_ranks(json.load(text), folder)
        witness = smpi(args, xml, folder, ranks, args.slice)
    own = ours(args, case, machine, "flows")
    rounds = ours(args, case, machine, "rounds")
    print(f"{network:8} {schedule:8} {shape:12} P={ranks:<4} SMPI {witness:.6f} s   flows {own:.6f} s ({own / witness - 1:+.2%})"
          f"   rounds {rounds:.6f} s ({rounds / witness - 1:+.2%})", flush=True)
    return abs(own / witness - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kallima", default="build/bin/kallima")
    parser.add_argument("--ranks", default="4,16,64,256", help="for the flat network and the fat tree; default: %(default)s")
    parser.add_argument("--slice", type=float, default=1e15, help="operations between two looks at messages")
    parser.add_argument("--allowed", type=float, default=0.05)
    args = parser.parse_args()
    if not shutil.which("smpicxx"):
        sys.exit("SimGrid is not there: apt-get install libsimgrid-dev")
    with tempfile.TemporaryDirectory() as folder:
        args.program = os.path.join(folder, "witness")
        subprocess.run(["smpicxx", "-std=c++20", "-O2", "-o", args.program, os.path.join(HERE, "witness.cpp")], check=True)
        worst = 0.0
        for network, counts in (("flat", args.ranks.split(",")), ("fattree", args.ranks.split(",")), ("torus", ["16", "64"])):
            for ranks in map(int, counts):
                if network == "fattree" and ranks < 16:
                    continue
                for schedule in ("cyclic", "pencil"):
                    if schedule == "pencil" and ranks > 64:
                        continue
                    worst = max(worst, compare(args, network, schedule, "64x64x64", ranks))
    print(f"worst difference between flows and SMPI: {worst:.2%} (allowed {args.allowed:.0%})")
    sys.exit(worst > args.allowed)


if __name__ == "__main__":
    main()
