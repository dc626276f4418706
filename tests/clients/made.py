"""Items in the form in which programs send them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tests.release.made import records


def items(stories: int = 6) -> list[dict[str, Any]]:
    """Four commonsense and three moral items a story, each with its story."""
    return [
        {name: value for name, value in asdict(one).items() if value not in (None, (), "")}
        for one in records(stories)
    ]
