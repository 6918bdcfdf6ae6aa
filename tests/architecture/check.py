#!/usr/bin/env python3
"""The rules of the source tree, enforced. A folder may include only itself and what stands above it in FOLDERS; <mpi.h>
stays in the MPI transport and one public header; whatever is included is in the tree or a library we know; programs
and other languages (app, bench, c, python) use the public headers like anybody else; libkallima includes nothing of the
laboratory; no class name means two things; and every header compiles alone: public ones with nothing before them but
standard headers that they include themselves, inner ones after any of the standard library's; these are precompiled to
save time. With --self-test the checker first shows, on small trees that each break one rule, that it notices."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = ["base", "layout", "schedule", "trace", "machine", "simulate", "plan", "kernel", "transport", "execute", "file",
           "fft", "spectral", "exact", "network", "cuda", "lab", "draw"]
TOLERATED = frozenset()  # class names that still mean two things
LABORATORY = ("lab", "draw")  # what libkallima_lab is made of
PROGRAMS = ("app", "bench", "c", "python")
EVERYTHING = "the headers for users"  # include all of theirs, and only programs include them
PUBLIC = {
    "base": ["types", "memory"], "layout": ["layout"], "schedule": ["schedule", "outline"], "trace": ["trace", "overlap"],
    "machine": ["machine", "rates", "profile"], "simulate": ["simulate"], "plan": ["problem", "spectrum", "plan", "route", "wire", "symmetry", "forecast"],
    "transport": ["kept", "transport", "tuning", "comm", "stopwatch", "mpi", "job"], "file": ["file", "checkpoint", "array_file"],
    "kernel": ["backend", "modular"], "execute": ["execute"], "fft": ["fft", "redistribute", "strided", "wisdom"],
    "spectral": ["spectral", "field"], "exact": ["ntt", "integer", "polynomial"], "network": ["network", "node", "sort"], "cuda": ["cuda"],
    "lab": ["calibrate", "butterfly", "collective", "exascale", "theory", "doctor"],
    "draw": ["draw", "figures"], EVERYTHING: ["kallima", "lab"]}
FOLDER_OF_HEADER = {header: folder for folder, headers in PUBLIC.items() for header in headers}
STANDARD = re.compile(r"^[a-z0-9_]+$")  # <vector>, <cstdint>
LIBRARIES = re.compile(r"^(hdf5\.h$|zlib\.h$|fmt/|nlohmann/|CLI/|pybind11/|fftw3\.h$|gmp\.h$|parallel/algorithm$|smpi/|sys/|linux/|arm_neon\.h$|immintrin\.h$|"
                       r"cuda_runtime(_api)?\.h$|cufft\.h$|"
                       r"(unistd|fcntl|sched|pthread|signal|dlfcn|poll|termios|spawn|malloc)\.h$)")
MPI_HEADERS = re.compile(r"^(mpi(-ext)?\.h|fftw3-mpi\.h|kallima/mpi\.hpp)$")  # the last brings the first with it
MPI_ALLOWED = re.compile(r"^(src/transport/mpi[^/]*\.(hpp|cpp)|include/kallima/mpi\.hpp|bench/.*|c/mpi\.cpp|python/src/mpi_module\.cpp)$")
CUDA_HEADERS = re.compile(r"^(cuda|cufft|cooperative_groups)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def files(root, folders, suffixes=(".hpp", ".cpp")):
    return sorted(p.relative_to(root) for f in folders for p in (root / f).rglob("*") if p.suffix in suffixes)


def folder_of(path):
    """One of FOLDERS, EVERYTHING, None for files that no order binds (programs), or the name of what nobody knows."""
    if path.parts[0] == "include":
        return FOLDER_OF_HEADER.get(path.stem, str(path))
    return path.parts[1] if path.parts[0] == "src" else None


def resolve(root, path, name):
    for base in ("include", "src", ".", str(path.parent)):
        if (root / base / name).is_file():
            return pathlib.Path(os.path.normpath(os.path.join(base, name)))
    return None


def order_problem(path, target):
    mine, theirs = folder_of(path), folder_of(target)
    if path.parts[0] in PROGRAMS and target.parts[0] not in ("include", *PROGRAMS):
        return f"{path}: includes {target}, but programs may include public headers and their own only"
    if theirs == "cuda" and mine is not None and mine != "cuda":
        return f"{path}: includes {target} of kallima_cuda, which our other libraries know nothing of"
    if mine in FOLDERS and mine not in LABORATORY and theirs in LABORATORY:
        return f"{path}: includes {target} of the laboratory, which libkallima knows nothing of"
    if mine is None or mine == theirs or (mine == EVERYTHING and theirs is not None):
        return None
    if mine in FOLDERS:
        allowed = FOLDERS[:FOLDERS.index(mine)]
        if theirs in allowed:
            return None
        return f"{path}: includes {target} (of {theirs or target.parts[0]}), but {mine} may include only {allowed}"
    return f"{path}: includes {target}, which belongs to no folder of the library"


def include_problem(root, path, quote, name):
    if MPI_HEADERS.match(name) and not MPI_ALLOWED.match(path.as_posix()):
        return f"{path}: includes <{name}>, which only src/transport/mpi* and kallima/mpi.hpp may"
    if MPI_HEADERS.match(name):
        return None
    if CUDA_HEADERS.match(name) and quote == "<" and path.parts[:2] != ("src", "cuda"):
        return f"{path}: includes <{name}>, which only src/cuda may"
    target = resolve(root, path, name)
    if target:
        return order_problem(path, target)
    if quote == "<" and (STANDARD.match(name) or LIBRARIES.match(name)):
        return None
    return f"{path}: includes {name}, which is neither in the tree nor a library this check knows"


def check_includes(root):
    problems = []
    for path in files(root, ("include", "src", *PROGRAMS), (".hpp", ".cpp", ".cuh", ".cu")):
        folder = folder_of(path)
        if folder not in (None, EVERYTHING, *FOLDERS):
            problems.append(f"{path}: belongs to no folder this check knows; add it to FOLDERS or PUBLIC")
            continue
        includes = INCLUDE.findall((root / path).read_text(encoding="utf-8"))
        problems += [include_problem(root, path, quote, name) for quote, name in includes]
    return [p for p in problems if p]


def without_texts(code):
    """Code with comments and string literals blanked, so that what is left can be counted by braces."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', " ", code, flags=re.DOTALL)


TOKEN = re.compile(r"\bnamespace\b[\w\s:]*\{|(template\s*<\s*>\s*)?\b(?:class|struct|union)\s+(\w+)\s*"
                   r"(?:final\s*)?(?::(?!:)[^;{}()]*)?\{|[{}]")


def classes(code):
    """Names of the classes that a file defines outside other classes and functions, explicit specialisations excepted."""
    names, scopes = [], []
    for token in TOKEN.finditer(without_texts(code)):
        if token.group() == "}":
            if scopes:
                scopes.pop()
            continue
        if token.group(2) and not token.group(1) and all(scopes):
            names.append(token.group(2))
        scopes.append(token.group().startswith("namespace"))
    return names


def check_names(root):
    places = {}
    for path in files(root, ("include", "src"), (".hpp", ".cpp", ".cuh", ".cu")):
        for name in classes((root / path).read_text(encoding="utf-8")):
            places.setdefault(name, []).append(str(path))
    return [f"class {name} is defined {len(where)} times: {', '.join(where)}; name each by what it means"
            for name, where in sorted(places.items()) if len(where) > 1 and name not in TOLERATED]


STANDARD_HEADERS = ("algorithm array atomic bit chrono cmath complex condition_variable cstdint cstring deque functional "
                    "limits map memory mutex numbers optional set span string string_view thread utility vector").split()
COMMON_HEADERS = ["complex cstdint optional span stdexcept string vector".split(),
                  "functional memory".split()]  # most public headers include the first ones, half of them the others, too


def compiler_command(root, compiler, mpi_includes):
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    return command + [f"-I{root / folder}" for folder in ("include", "src", ".")] + [f"-isystem{d}" for d in mpi_includes]


def compile_alone(root, path, command):
    run = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{root / path}"\n',
                         capture_output=True, text=True, check=False)
    return f"{path}: does not compile alone\n{run.stderr.strip()[:1500]}" if run.returncode else None


def standard_headers_of(root, path, known):
    """Those that a header of ours includes, itself or by way of others."""
    if path not in known:
        known[path] = set()
        for _, name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
            target = resolve(root, path, name)
            known[path] |= standard_headers_of(root, target, known) if target else {name}
    return known[path]


def precompile(command, folder, name, standard):
    header = pathlib.Path(folder) / name
    header.write_text("".join(f"#include <{name}>\n" for name in standard), encoding="utf-8")
    subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return ["-include", header]


def precompiled_for(root, command, folder):
    """A function from headers to the options by which what was precompiled comes before them."""
    inner = precompile(command, folder, "inner.hpp", STANDARD_HEADERS)
    sets = [sum(COMMON_HEADERS[:count + 1], []) for count in range(len(COMMON_HEADERS))]
    public = [(set(names), precompile(command, folder, f"public{i}.hpp", names)) for i, names in enumerate(sets)]
    known = {}

    def options(path):
        if path.parts[0] != "include":
            return inner
        mine = standard_headers_of(root, path, known)
        return next((option for names, option in reversed(public) if names <= mine), [])

    return options


def included_first(root):
    """Headers that some source file includes before anything else: the build itself compiles these alone."""
    firsts = set()
    for path in files(root, ("src", *PROGRAMS), (".cpp",)):
        found = INCLUDE.search((root / path).read_text(encoding="utf-8"))
        if found and (target := resolve(root, path, found.group(2))):
            firsts.add(target)
    return firsts


def check_headers(root, compiler, mpi_includes):
    headers = files(root, ("include", "src", *PROGRAMS), (".hpp",))
    firsts = included_first(root)
    headers = [h for h in headers if h.parts[0] == "include" or h not in firsts]
    if not mpi_includes:
        headers = [h for h in headers if not MPI_ALLOWED.match(h.as_posix())]
    command = compiler_command(root, compiler, mpi_includes)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        options = precompiled_for(root, command, folder) if len(headers) > 10 else lambda header: []
        found = pool.map(lambda h: compile_alone(root, h, command + options(h)), headers)
        return [p for p in found if p]


HEADER = "#pragma once\n#include <vector>\ninline std::vector<int> f() { return {}; }\n"
CASES = [  # name, what is written over the sound tree, what the one complaint must say
    ("a folder includes a lower one", {"src/layout/a.cpp": '#include "kernel/k.hpp"\n'}, "layout may include only"),
    ("a public header includes a lower one", {"include/kallima/layout.hpp": '#include "kernel/k.hpp"\n'}, "layout may"),
    ("a source file includes the program", {"src/draw/d.cpp": '#include "app/a.hpp"\n'}, "draw may include only"),
    ("the program includes what is not public", {"app/a.cpp": '#include "kernel/k.hpp"\n'}, "programs may include"),
    ("a benchmark includes what is not public", {"bench/b.cpp": '#include "kernel/k.hpp"\n'}, "programs may include"),
    ("the library includes the laboratory", {"src/lab/l.hpp": HEADER, "src/fft/f.cpp": '#include "lab/l.hpp"\n'},
     "knows nothing of"),
    ("the laboratory knows devices", {"include/kallima/cuda.hpp": HEADER, "src/draw/d.cpp": '#include "kallima/cuda.hpp"\n'},
     "know nothing of"),
    ("CUDA outside its folder", {"src/kernel/c.cpp": "#include <cuda_runtime.h>\n"}, "which only src/cuda may"),
    ("the library draws", {"include/kallima/draw.hpp": HEADER, "src/fft/f.cpp": '#include "kallima/draw.hpp"\n'},
     "knows nothing of"),
    ("two classes of one name", {"src/base/a.cpp": "namespace k { struct A {}; }\n",
                                 "src/fft/b.cpp": "namespace k { namespace { class A final : B { int x; }; } }\n"},
     "class A is defined 2 times"),
    ("an unknown folder", {"src/attic/a.cpp": "#include <vector>\n"}, "belongs to no folder"),
    ("<mpi.h> in a pure folder", {"src/plan/p.cpp": "#include <mpi.h>\n"}, "<mpi.h>, which only"),
    ("<mpi.h> by way of our own header", {"app/a.cpp": '#include "kallima/mpi.hpp"\n'}, "mpi.hpp>, which only"),
    ("an unknown library", {"app/a.cpp": "#include <boost/mpi.hpp>\n"}, "neither in the tree nor a library"),
    ("a missing file", {"src/base/b.cpp": '#include "base/nowhere.hpp"\n'}, "neither in the tree nor a library"),
    ("a header that needs another", {"src/base/t.hpp": "#pragma once\ninline std::vector<int> g();\n"}, "alone"),
]


def check(root, compiler, mpi_includes):
    problems = check_includes(root) + check_names(root)
    return problems or check_headers(root, compiler, mpi_includes)


def sound_tree(root, changes):
    tree = {"include/kallima/layout.hpp": HEADER, "src/kernel/k.hpp": '#pragma once\n#include "kallima/layout.hpp"\n',
            "src/fft/fft.cpp": '#include "kernel/k.hpp"\n', "src/transport/mpi.cpp": "#include <mpi.h>\n",
            "app/a.hpp": HEADER, "app/main.cpp": '#include "app/a.hpp"\n#include <fmt/format.h>\n', **changes}
    for name, text in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def self_test(compiler):
    problems = []
    for name, changes, complaint in [("nothing wrong", {}, None)] + CASES:
        with tempfile.TemporaryDirectory() as folder:
            sound_tree(pathlib.Path(folder), changes)
            found = check(pathlib.Path(folder), compiler, [])
        noticed = not found if complaint is None else len(found) == 1 and complaint in found[0]
        if not noticed:
            problems.append(f"self-test '{name}': expected {complaint or 'no complaint'}, got {found}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--mpi-includes", default="", help="directories of <mpi.h>, separated by semicolons")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    problems = self_test(args.compiler) if args.self_test else []
    problems += check(args.root, args.compiler, [d for d in args.mpi_includes.split(";") if d])
    print("\n".join(problems) or "the tree keeps its rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
