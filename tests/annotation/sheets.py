"""What a browser sends of a sheet."""

import uuid
from typing import Any

from annotation.content import ItemContent, to_json
from corpus.models import Story
from tests.factories import Cast, content


def sheet(
    story: Story, words: ItemContent | None = None, *, do: str = "submit", **more: Any
) -> dict[str, Any]:
    """The form of a sheet, by default that of a whole commonsense item that has never been saved."""
    words = words or content()
    sent: dict[str, Any] = {
        "story": story.pk,
        "task": "commonsense",
        "style": "human",
        "item": "",
        "sequence": 0,
        "stem": words.stem,
        "types": list(words.types),
        "explanation": words.explanation,
        "do": do,
    }
    for place, option in enumerate(words.options):
        sent[f"option-{place}"] = option.text
        if option.is_key:
            sent.setdefault("key", []).append(str(place))
        if option.rank is not None:
            sent[f"rank-{place}"] = option.rank
    return sent | more


def save_of(
    cast: Cast, story: Story, words: ItemContent | None = None, *, sequence: int = 1, **more: Any
) -> dict[str, Any]:
    """The JSON of one save of a draft."""
    return {
        "project": cast.project.slug,
        "story": story.pk,
        "task": "commonsense",
        "sequence": sequence,
        "content": to_json(words or content()),
    } | more


def draft_page(cast: Cast, client_id: uuid.UUID) -> str:
    return f"/p/{cast.project.slug}/write/draft/{client_id}"


def draft_api(client_id: uuid.UUID) -> str:
    return f"/api/v1/drafts/{client_id}/"


def write_page(cast: Cast, story_pk: int, query: str = "") -> str:
    """Where an item about this story is begun."""
    return f"/p/{cast.project.slug}/write/story/{story_pk}{query}"
