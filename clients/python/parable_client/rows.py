"""The rows that most scripts read. A row may have more fields than are named here."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

Row: TypeAlias = dict[str, Any]
"""A row whose fields are not named here."""


class Story(TypedDict):
    """A story as lists have it."""

    id: int
    ref: str
    title: str
    language: str
    rights: str
    genre: str
    group: int | None
    revision: int


class Item(TypedDict):
    """An item as lists have it, without options and key."""

    id: int
    story: int
    story_title: str
    task: str
    style: str
    state: str
    writer: int
    stem: str
    types: list[str]
    changed_at: str


class Job(TypedDict):
    """Long work of the site. Its state at its end is "done", "failed" or "cancelled"."""

    id: int
    title: str
    state: str
    reason: str
    total: int
    finished: int
    seconds_left: int | None


class Claimed(TypedDict):
    """A claimed request: the item as it is solved, without its key until it was answered."""

    id: str
    stage: str
    task: str
    step: str
    item: dict[str, Any]


class Event(TypedDict):
    """What happened to an object of the project."""

    id: int
    type: str
    timestamp: str
    object: dict[str, Any]
    data: dict[str, Any]
