"""What is mutated and what judges it is there, and the tests of rules need neither Django nor a server."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain

from tests.mutation.groups import BASE, RULES, SERVICES
from tests.mutation.judging import PURE


def test_it_names_files_that_are_there() -> None:
    groups = {**RULES, **SERVICES}
    named = {*groups, *(test.split("::")[0] for test in chain(*groups.values()))}
    assert sorted(path for path in named if not (BASE / path).is_file()) == []


def test_tests_of_rules_can_be_read_without_django() -> None:
    tests = sorted(set(chain(*RULES.values())))
    without = {
        name: value for name, value in os.environ.items() if not name.startswith(("PARABLE", "DJANGO"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PURE, "--collect-only", "-q", *tests],
        cwd=BASE,
        env=without | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
