"""A project whose items are marked in texts, and what its people mark."""

from __future__ import annotations

from typing import Any

from annotation.content import ItemContent
from annotation.models import Item
from corpus.models import Story
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import ANSWER, Mark, locate
from tests.factories import Cast, make_project, make_story, submit_item

TEXT = "瓶子边是香油，包裹里是鸡蛋，瓶子里空空的。"
"""Twenty-one characters: the bottle occurs twice."""

WRITTEN: dict[str, str] = {"S1": "香油", "P1": "瓶子边", "E1": "是"}
OTHER: dict[str, str] = {"S1": "鸡蛋", "P1": "包裹里", "E1": "是@10"}


def marks_project(**settings: object) -> Cast:
    """A Chinese project of anomalies."""
    return make_project("zh", tasks=["anomaly_spans"], **settings)


def marked_story(cast: Cast, text: str = TEXT) -> Story:
    """A text of the project."""
    return make_story(cast, title="瓶子", text=text, moral="")


def group(words: dict[str, str], text: str = TEXT) -> tuple[Mark, ...]:
    """A group of marks, each in words as a form without script takes them."""
    found = ((role, locate(typed, text)) for role, typed in words.items())
    return tuple(Mark(role, span.text, span.positions) for role, span in found)


def own(*groups: dict[str, str], text: str = TEXT) -> dict[str, Any]:
    """An answer of these groups, as drafts and forms have it."""
    return {ANSWER: write_groups(group(words, text) for words in groups)}


def marked(*groups: dict[str, str], text: str = TEXT) -> ItemContent:
    """What an item of these groups says."""
    return ItemContent(own=own(*(groups or (WRITTEN,)), text=text))


def submit_marks(cast: Cast, *groups: dict[str, str], story: Story | None = None) -> Item:
    """An anomaly in review, marked by the cast's writer."""
    return submit_item(cast, story=story or marked_story(cast), task="anomaly_spans", words=marked(*groups))
