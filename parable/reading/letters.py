"""The letters of options, and patterns that know how many of them an item has."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import lru_cache
from typing import Final

LETTERS: Final = string.ascii_uppercase
_FEW: Final = "H"
"""Up to eight options, a letter to H that the item does not have is read too: an option that is none."""


def lettered(pattern: str, flags: int = re.IGNORECASE) -> Callable[[int], re.Pattern[str]]:
    """The pattern by the number of options, `A-H` and `a-h` in it standing for their letters."""

    @lru_cache(maxsize=len(LETTERS))
    def of(last: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("A-H", f"A-{last}").replace("a-h", f"a-{last.lower()}"), flags)

    return lambda count: of(max(_FEW, LETTERS[count - 1]))
