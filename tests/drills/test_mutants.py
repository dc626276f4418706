"""`make mutate` judges mutants of a service: by tests in forked processes, on a database of their own."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.architecture import BASE

pytestmark = pytest.mark.drill


def test_it_judges_mutants_of_a_service() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.mutation",
            "--group",
            "services",
            "--only",
            "services/team",
            "--sample",
            "4",
        ],
        cwd=BASE,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [counts] = re.findall(r"^all +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$", done.stdout, re.MULTILINE)
    mutants, killed, *_others = map(int, counts)
    assert mutants == 4
    assert killed >= 1, done.stdout
