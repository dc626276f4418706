"""Projects with verified items, ready to be released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import User
from accounts.services import get_or_create_placeholder
from annotation.services import import_items
from parable.formats.records import ItemRecord, Reading, Row
from projects.models import Project
from release.assembly.recipe import Recipe
from release.models import Release
from release.services import build_release
from tests.factories import Cast

TYPES = ("social", "biological", "temporal", "spatial", "physical")


def record(story: int, number: int, task: str = "commonsense", **changes: Any) -> ItemRecord:
    """An item of a story, unlike any other."""
    values: dict[str, Any] = {
        "id": f"{task}-{story}-{number}",
        "task": task,
        "story_id": f"tale-{story}",
        "title": f"Tale {story}",
        "story": f"The fox met crow number {story}.\nThey spoke of cheese.",
        "question": f"Why did fox {story} do thing {number}?"
        if task == "commonsense"
        else "Which moral fits?",
        "choices": tuple(f"because of {task} {story}, {number}, {letter}" for letter in "abcd"),
        "answer": (story + number) % 4,
        "types": (TYPES[(story + number) % 5],) if task == "commonsense" else (),
        "style": "machine" if task == "moral" and number else "human",
        "generators": ("glm-4",) if task == "moral" and number else (),
        "explanation": f"It stands in tale {story}." if task == "commonsense" else None,
        "language": "en",
    }
    return ItemRecord(**(values | changes))


def records(stories: int = 6) -> list[ItemRecord]:
    """Four commonsense and three moral items a story."""
    return [
        made
        for story in range(stories)
        for made in (
            *(record(story, number) for number in range(4)),
            *(record(story, number, "moral") for number in range(3)),
        )
    ]


def bring(cast: Cast, items: Sequence[ItemRecord], writer: str = "Aesop", *, state: str = "verified") -> None:
    """Import the items in a state, written by somebody who cannot sign in."""
    rows = tuple(Row(number, item) for number, item in enumerate(items, start=1))
    result = import_items(
        actor=cast.manager,
        project=cast.project,
        readings=[Reading("items.jsonl", "parable", rows, ())],
        state=state,
        writer=get_or_create_placeholder(actor=cast.manager, name=writer),
    )
    assert not result.issues, result.issues


def grant_rights(cast: Cast) -> None:
    """Say of every story under which rights it stands."""
    cast.project.stories.update(rights="public domain")


RECIPE = Recipe(split="story", dev_share="0.2")
ALLOWED = Recipe(split="story", dev_share="0.2", allow=("rights",), reason="A test of the build.")


def built(
    cast: Cast | None = None,
    *,
    project: Project | None = None,
    actor: User | None = None,
    version: str = "1.0.0",
    seed: str | None = "7",
    recipe: Recipe = ALLOWED,
) -> Release:
    """A release of the project, or the failed attempt at one."""
    if cast is not None:
        project, actor = cast.project, cast.manager
    assert project is not None
    assert actor is not None
    return build_release(actor=actor, project=project, version=version, seed=seed, recipe=recipe).release
