"""What is wanted of a release, as it was typed: its fields, and on which step they stand. Pure."""

from collections.abc import Mapping
from typing import Any, Final

CONTENTS: Final = ("version", "extends", "tasks", "styles", "min_rating")
SETTINGS: Final = (
    "dev_share",
    "split",
    "seed",
    "withhold_test",
    "keep_order",
    "anonymous",
    "contact",
)
LISTS: Final = ("tasks", "styles")
SWITCHES: Final = ("withhold_test", "keep_order", "anonymous")

Wishes = Mapping[str, Any]


def blank() -> dict[str, object]:
    """Every field, with nothing in it."""
    return {name: _nothing(name) for name in (*CONTENTS, *SETTINGS)}


def _nothing(name: str) -> Any:
    if name in LISTS:
        return []
    return False if name in SWITCHES else ""


def step_of(field: str) -> str:
    """The step on which a field stands."""
    return "contents" if field in CONTENTS else "settings"
