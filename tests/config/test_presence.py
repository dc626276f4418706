"""Signs of life of workers and beat, and the command that container runtimes ask."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings

from config.celery import app
from config.command_line import SITE_VERBS
from config.schedule import FileScheduler
from core import presence
from core.presence import LEFT_AFTER, presence_key, seconds_silent, show_life


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARABLE_HOME", str(tmp_path))
    return tmp_path


def age(home: Path, process: str, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(presence._file(home, process), (moment, moment))


@pytest.mark.parametrize(
    ("silent", "options", "code"),
    [
        (0, (), 0),
        (59, (), 0),
        (62, (), 1),
        (62, ("--within", "90"), 0),
        (5, ("--within", "3"), 1),
    ],
)
def test_a_process_is_healthy_if_it_showed_life_lately(
    home: Path, silent: float, options: tuple[str, ...], code: int
) -> None:
    show_life(home, "worker")
    age(home, "worker", silent)
    assert SITE_VERBS["healthy"](["healthy", "worker", *options]) == code
    assert SITE_VERBS["healthy"](["healthy", "llm-worker", *options]) == 1, "another process did not"


def test_another_machine_that_shares_the_folder_is_not_meant(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_life(home, "worker")
    monkeypatch.setattr("core.presence.socket.gethostname", lambda: "another")
    assert seconds_silent(home, "worker") is None


def test_files_of_machines_that_are_gone_are_removed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("gone", LEFT_AFTER + 60), ("away", LEFT_AFTER - 60)):
        monkeypatch.setattr("core.presence.socket.gethostname", lambda name=name: name)
        show_life(home, "worker")
        age(home, "worker", seconds)
    monkeypatch.setattr("core.presence.socket.gethostname", lambda: "here")
    show_life(home, "worker")
    assert {file.name for file in (home / "alive").iterdir()} == {"away.worker", "here.worker"}


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    show_life(tmp_path / "missing" / "folder", "worker")
    assert seconds_silent(tmp_path / "missing" / "folder", "worker") is None


def test_beat_shows_life_when_it_looks_for_what_is_due(home: Path, settings: Settings) -> None:
    settings.HOME = home
    cache.delete(presence_key("beat"))
    scheduler: Any = FileScheduler(app=app, schedule_filename=str(home / "beat"), lazy=True)
    scheduler.schedule = {}
    scheduler.tick()
    assert seconds_silent(home, "beat") is not None
    assert cache.get(presence_key("beat")) is not None
