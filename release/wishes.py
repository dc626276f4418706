"""What is wanted of a release, as it was typed: its fields, and on which step they stand. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from parable.kinds import codes

CONTENTS: Final = ("version", "extends", "tasks", "styles", "min_rating")
DEV_ITEMS: Final = {f"dev_{task}": task for task in codes()}
"""The fields for the number of dev items of each task."""
SETTINGS: Final = (
    "train_share",
    "dev_share",
    *DEV_ITEMS,
    "split",
    "out_stories",
    "seed",
    "withhold_test",
    "keep_order",
    "anonymous",
    "contact",
)
SPLIT: Final = ("split", "out_stories", "train_share")
"""The fields that a release takes from the one it extends."""
LISTS: Final = ("tasks", "styles")
NUMBERS: Final = ("min_rating", "out_stories")
SWITCHES: Final = ("withhold_test", "keep_order", "anonymous")

Wishes = Mapping[str, Any]


def blank() -> dict[str, object]:
    """Every field, with nothing in it."""
    return {name: _nothing(name) for name in (*CONTENTS, *SETTINGS)}


def _nothing(name: str) -> Any:
    if name in LISTS:
        return []
    return False if name in SWITCHES else ""


def typed_of(recipe: Mapping[str, Any], names: Iterable[str]) -> dict[str, object]:
    """What would be typed to have a kept recipe again, of these fields."""
    counts = {field: str(recipe.get("dev_items", {}).get(task, "")) for field, task in DEV_ITEMS.items()}
    numbers = {name: str(recipe[name]) for name in NUMBERS if name in recipe}
    found = {**recipe, **counts, **numbers}
    return {name: found[name] for name in names if name in found}


def step_of(field: str) -> str:
    """The step on which a field stands."""
    return "contents" if field in CONTENTS else "settings"
