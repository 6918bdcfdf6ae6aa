#!/usr/bin/env python3
"""The same schedules under SimGrid's SMPI and in our simulator: a witness that knows nothing of us.

Needs Debian's libsimgrid-dev (smpicxx, smpirun) and a built kallima. Schedules are saved by `kallima simulate --save`
and run by bench/simgrid/witness.cpp as MPI programs, on a flat network, a fat tree with taper 2 and tori, which SimGrid
shares by max-min fairness, without TCP's corrections. Computing takes no time: what is compared is how messages share
links. Links have no latency, as SimGrid's flows get the less of a link the more latency there is on their way, as TCP's
do. All ranks begin at once: on a torus those that leave a barrier a microsecond apart get in each other's way ever more
and take up to a third longer. Half-way around a ring of even extent both ways are as long; SimGrid's own torus takes
three of four up in a ring of four, so it is told our routes there. Prints both times and fails beyond 5 %.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BANDWIDTH, FLOPS = 1e8, 1e15  # bytes per second, operations per second
WORD = 16 * 256  # bytes: SMPI adds 16 to every message, which should not matter
CONFIG = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "smpi/cpu-threshold:-1",
          "smpi/test:0", "smpi/iprobe:0", "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0",
          "smpi/wtime:0", "surf/precision:1e-12"]


TORI = {16: (4, 4), 27: (3, 3, 3), 64: (4, 4, 4)}


def torus_route(source, target, shape):
    """Links from node to node, dimension after dimension, the shorter way, or up where both are as long."""
    links, node, stride = [], source, 1
    for extent in shape:
        x, goal = node // stride % extent, target // stride % extent
        up = (goal - x) % extent
        step = 1 if 2 * up <= extent else -1
        while x != goal:
            links.append(f"l{node}_{stride}_{'up' if step == 1 else 'down'}")
            node += ((x + step) % extent - x) * stride
            x = (x + step) % extent
        stride *= extent
    return links


def routed_torus(shape):
    """SimGrid's description of a torus with every route written out."""
    nodes = range(math.prod(shape))
    strides = [math.prod(shape[:d]) for d in range(len(shape))]
    xml = [f'<host id="h{n}" speed="{FLOPS:.0f}f"/>' for n in nodes]
    xml += [f'<link id="l{n}_{s}_{way}" bandwidth="{BANDWIDTH:.0f}Bps" latency="0s"/>'
            for n in nodes for s in strides for way in ("up", "down")]
    for a in nodes:
        for b in nodes:
            ways = "".join(f'<link_ctn id="{link}"/>' for link in torus_route(a, b, shape))
            if a != b:
                xml.append(f'<route src="h{a}" dst="h{b}" symmetrical="NO">{ways}</route>')
    return f'<zone id="c" routing="Full">{"".join(xml)}</zone>'


def platform(network, ranks):
    """SimGrid's description, and ours."""
    word = WORD / BANDWIDTH
    common = f'id="c" prefix="h" suffix="" radical="0-{ranks - 1}" speed="{FLOPS:.0f}f" bw="{BANDWIDTH:.0f}Bps" ' \
             'lat="0s" sharing_policy="SPLITDUPLEX"'
    if network == "flat":
        return f"<cluster {common}/>", f"loggp:L=0,G={word:g},r={FLOPS:g}"
    if network == "fattree":
        leaf, up = 8, 4
        return (f'<cluster {common} topology="FAT_TREE" topo_parameters="2;{leaf},{ranks // leaf};1,{up};1,1"/>',
                f"loggp:L=0,G={word:g},r={FLOPS:g}/"
                f"fattree:shape={leaf}x{ranks // leaf},taper={leaf // up},G={word:g},hop=0")
    shape = TORI[ranks]
    even = any(extent % 2 == 0 for extent in shape)
    parameters = ",".join(map(str, shape))
    return (routed_torus(shape) if even else f'<cluster {common} topology="TORUS" topo_parameters="{parameters}"/>',
            f"loggp:L=0,G=0,r={FLOPS:g}/torus:shape={'x'.join(map(str, shape))},G={word:g},hop=0")


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
        for network, counts in (("flat", args.ranks.split(",")), ("fattree", args.ranks.split(",")), ("torus", TORI)):
            for ranks in map(int, counts):
                if network == "fattree" and ranks < 16:
                    continue
                for schedule in ("cyclic", "pencil"):
                    if schedule == "pencil" and ranks > 64:
                        continue
                    worst = max(worst, compare(args, network, schedule, "54x54x54" if ranks == 27 else "64x64x64", ranks))
    print(f"worst difference between flows and SMPI: {worst:.2%} (allowed {args.allowed:.0%})")
    sys.exit(worst > args.allowed)


if __name__ == "__main__":
    main()
