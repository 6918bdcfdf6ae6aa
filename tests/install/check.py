#!/usr/bin/env python3
"""Kallima as its users meet it: installs the build into a temporary prefix, moves that prefix, and builds the programs
of this folder against it, once with find_package and once with pkg-config, and runs them."""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, env=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\nfailed with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build_with_cmake(args, prefix, work):
    run(args.cmake, "-S", HERE, "-B", work / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={args.compiler}", "-DCMAKE_BUILD_TYPE=Release")
    run(args.cmake, "--build", work / "cmake")
    return [p for p in (work / "cmake/consumer", work / "cmake/mpi_consumer") if p.exists()]


def build_other_languages(args, prefix, work):
    """Projects without C++ in C and, where there is a compiler for it, Fortran: the examples, and the tests' programs
    that compare with FFTW-MPI."""
    programs = []
    for language, compiler in (("c", "mpicc"), ("fortran", "mpif90")):
        if not list(prefix.rglob("libkallima_c_mpi.so")) or not compiles(compiler, language):
            continue
        folder = work / language
        run(args.cmake, "-S", HERE / language, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run(args.cmake, "--build", folder)
        programs += [p for p in (folder / "slabs", folder / "fftw_mpi") if p.exists()]
    return programs


def compiles(compiler, language):
    """MPI's wrappers may be there without the compiler that they call."""
    if not shutil.which(compiler):
        return False
    suffix, text = (".c", "int main(void) { return 0; }") if language == "c" else (".f90", "program p\nend program\n")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"p{suffix}"
        source.write_text(text, encoding="utf-8")
        command = [compiler, source, "-o", source.with_suffix("")]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build_c_with_pkg_config(prefix, work):
    """The example, by a C compiler that knows nothing of C++."""
    pc_dir = next(prefix.rglob("kallima-c.pc")).parent
    if not shutil.which("mpicc") or not (pc_dir / "kallima-c-mpi.pc").exists():
        return []
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc_dir)}
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "kallima-c-mpi", env=env))
    run("mpicc", HERE.parents[1] / "examples/c/slabs.c", *flags, "-lm", "-o", work / "pc_slabs")
    return [work / "pc_slabs"]


def build_with_pkg_config(args, prefix, work):
    pc_dir = next(prefix.rglob("kallima.pc")).parent
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc_dir)}
    programs = []
    for package, source in (("kallima", "main.cpp"), ("kallima-mpi", "mpi_main.cpp")):
        if not (pc_dir / f"{package}.pc").exists():
            continue
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", package, env=env))
        programs.append(work / f"pc_{package}")
        run(args.compiler, "-std=c++20", HERE / source, *flags, "-o", programs[-1])
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run(args.cmake, "--install", args.build, "--prefix", work / "first")
        prefix = (work / "first").rename(work / "moved")
        programs = build_with_cmake(args, prefix, work) + build_other_languages(args, prefix, work)
        if shutil.which("pkg-config"):
            programs += build_with_pkg_config(args, prefix, work) + build_c_with_pkg_config(prefix, work)
        for program in programs:
            print(program.name, "->", run(program).strip() or "right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
