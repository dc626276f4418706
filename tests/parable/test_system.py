"""What differs by system: asked in one place, as Linux answers and as others do."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.local.process_identity import birth
from parable import system
from tests.architecture import BASE, STREET

NOT_ELSEWHERE = re.compile(
    r"sys\.platform|platform\.system|os\.uname|/proc\b|getpwnam|sched_getaffinity|cpu_count|setrlimit"
    r"|os\.fork\b|set_start_method|\bepoll\b|kqueue|prctl|\"ps\"|pgrep"
)


@pytest.fixture(params=["/proc", "/nowhere"], autouse=True)
def _processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Linux, and as on macOS, where `ps` is asked."""
    monkeypatch.setattr(system, "PROC", Path(request.param))


def test_nothing_else_asks_which_system_runs() -> None:
    """Scripts run where nothing of ours can be imported, and tests may know Linux."""
    places = [path for folder in (*STREET, "config", "parable") for path in (BASE / folder).rglob("*.py")]
    asking = {
        path.relative_to(BASE).as_posix() for path in places if NOT_ELSEWHERE.search(path.read_text("utf-8"))
    }
    assert asking == {"parable/system.py"}


def test_a_process_has_a_parent_children_and_a_command_line() -> None:
    with subprocess.Popen(["sleep", "61"]) as child:
        try:
            known = system.process(child.pid)
            assert known is not None
            assert known.parent == os.getpid()
            assert known.state in "SRD"
            assert child.pid in system.children(os.getpid())
            assert system.arguments(child.pid).split() == ["sleep", "61"]
        finally:
            child.kill()
    assert system.process(child.pid) is None
    assert system.arguments(child.pid) == ""
    assert child.pid not in system.children(os.getpid())


def test_a_process_that_has_ended_is_dead_before_anybody_has_looked() -> None:
    child = subprocess.Popen(["true"])
    deadline = time.monotonic() + 10
    while birth(child.pid) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert child.wait() == 0


def test_a_birth_is_one_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site's processes keep UTC, and the shell of who starts them keeps his time and language."""
    births = set()
    for zone, language in (
        ("UTC", "C"),
        ("Asia/Shanghai", "zh_CN.UTF-8"),
        ("America/New_York", "de_DE.UTF-8"),
    ):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("LC_ALL", language)
        births.add(birth(os.getpid()))
    assert len(births) == 1
    assert None not in births


def test_without_ps_a_process_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "PROC", Path("/nowhere"))
    monkeypatch.setenv("PATH", "")
    assert system.process(os.getpid()) is None
    assert system.children(os.getpid()) == []


@pytest.mark.parametrize(("counted", "processors"), [(7, 7), (None, 1)])
def test_processors_are_counted_where_none_are_assigned(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, processors: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert system.processors() == processors


def test_only_as_many_processors_count_as_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 3}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert system.processors() == 2


@pytest.mark.parametrize(
    ("hard", "asked", "has"), [(resource.RLIM_INFINITY, 2**31, 2**31), (2**30, 2**31, 2**30)]
)
def test_memory_is_limited_where_the_system_can(
    monkeypatch: pytest.MonkeyPatch, hard: int, asked: int, has: int
) -> None:
    lines: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: lines.append((kind, limits)))
    system.limit_data(asked)
    on_linux = [(resource.RLIMIT_DATA, (has, hard))]
    assert lines == (on_linux if Path("/proc") == system.PROC else [])


@pytest.mark.parametrize(
    ("soft", "hard", "has"),
    [
        (256, resource.RLIM_INFINITY, 4096),
        (256, 1024, 1024),
        (8192, 8192, 8192),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    ],
)
def test_more_files_may_be_open_as_far_as_the_system_allows(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, has: int
) -> None:
    limits = [soft]
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (limits[-1], hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, both: limits.append(both[0]))
    system.allow_files(4096)
    assert limits[-1] == has


def test_a_file_is_held_alone_where_the_system_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "held").open("w") as first, (tmp_path / "held").open("w") as second:
        system.lock_alone(first.fileno())
        with pytest.raises(BlockingIOError):
            system.lock_alone(second.fileno())
        monkeypatch.setitem(sys.modules, "fcntl", None)  # as on Windows
        system.lock_alone(second.fileno())
