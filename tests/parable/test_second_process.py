"""Work that a command has another process do, with what it is sent."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from time import sleep

import pytest

from parable.commands import second_process as module
from parable.commands.second_process import Worker, second_process

HELD = {"fables": 436}
SOON = 0.01


def doubled(held: Mapping[str, int], name: str, folder: Path | None = None) -> tuple[int, int]:
    """In a folder say that it is begun, and wait to be let go on."""
    if folder is not None:
        (folder / "begun").touch()
        wait_for(folder / "go on")
    return os.getpid(), 2 * held[name]


def wait_for(file: Path) -> None:
    while not file.exists():
        sleep(SOON)


def begun(other: Worker, name: str, folder: Path) -> Callable[[], tuple[int, int]]:
    """A piece of work that the other process has come to."""
    later = other.begin(doubled, name, folder)
    wait_for(folder / "begun")
    return later


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "processors", lambda: 2)


def test_the_other_process_knows_what_it_was_sent(tmp_path: Path) -> None:
    with second_process(__name__) as other:
        other.take(HELD)
        later = begun(other, "fables", tmp_path)
        (tmp_path / "go on").touch()
        worker, found = later()
    assert found == 872
    assert worker != os.getpid()


def test_what_it_raises_is_raised_here(tmp_path: Path) -> None:
    with second_process(__name__) as other:
        other.take(HELD)
        later = begun(other, "proverbs", tmp_path)
        (tmp_path / "go on").touch()
        with pytest.raises(KeyError, match="proverbs"):
            later()


def test_what_it_has_not_come_to_is_done_here_and_once(tmp_path: Path) -> None:
    with second_process(__name__) as other:
        other.take(HELD)
        first = begun(other, "fables", tmp_path)
        *_next, last = [other.begin(doubled, "fables") for _piece in range(4)]
        assert last() == (os.getpid(), 872), "the other still waits"
        (tmp_path / "go on").touch()
        assert first()[0] != os.getpid()
        assert last() is last()


def dies_elsewhere(held: Mapping[str, int], here: int) -> int:
    if os.getpid() != here:
        os._exit(9)
    return held["fables"]


def test_what_dies_with_the_other_is_done_here() -> None:
    with second_process(__name__) as other:
        other.take(HELD)
        pieces = [other.begin(dies_elsewhere, os.getpid()) for _piece in range(4)]
        assert [piece() for piece in pieces] == [436] * 4
        assert other.begin(dies_elsewhere, os.getpid())() == 436


def test_it_loads_its_module_before_it_takes_a_value(tmp_path: Path) -> None:
    with second_process(__name__) as other:
        other.start()
        other.take(HELD)
        (tmp_path / "go on").touch()
        worker, found = begun(other, "fables", tmp_path)()
    assert (found, worker == os.getpid()) == (872, False)


def test_none_is_started_where_it_would_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "processors", lambda: 1)
    with second_process(__name__) as other:
        other.start()
        other.take(HELD)
        assert other.begin(doubled, "fables")() == (os.getpid(), 872)
