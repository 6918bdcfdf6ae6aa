#!/usr/bin/env python3
"""SciPy's own tests of scipy.fft, with kallima_fft as its backend: ./kallima python tests/python/scipy_suite.py

Needs SciPy and pytest (and hypothesis, for some versions of SciPy). Says how many tests pass, and how often SciPy
called Kallima. Arguments go to pytest."""

import sys

import pytest
import scipy.fft

import kallima_fft


class Backend:
    """Installs the backend, and counts what goes through it."""

    calls = 0
    __ua_domain__ = kallima_fft.__ua_domain__

    @classmethod
    def __ua_function__(cls, method, args, kwargs):
        cls.calls += 1
        return kallima_fft.__ua_function__(method, args, kwargs)

    def pytest_configure(self, config):
        scipy.fft.set_global_backend(Backend)

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.write_line(f"SciPy {scipy.__version__} called kallima_fft {self.calls} times")


if __name__ == "__main__":
    sys.exit(pytest.main(["--pyargs", "scipy.fft", "-q", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[Backend()]))
