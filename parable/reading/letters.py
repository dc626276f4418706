"""The letters of options, and patterns that adapt to the number of options of an item."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import lru_cache
from typing import Final

LETTERS: Final = string.ascii_uppercase
_FEW: Final = "H"
"""Letters up to this one are read even if an item has fewer options; they then choose no option."""


def lettered(pattern: str, flags: int = re.IGNORECASE) -> Callable[[int], re.Pattern[str]]:
    """Return a function that compiles the pattern for a number of options.

    In the pattern, `A-H` and `a-h` are replaced by the range of letters.
    """

    @lru_cache(maxsize=len(LETTERS))
    def of(last: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("A-H", f"A-{last}").replace("a-h", f"a-{last.lower()}"), flags)

    return lambda count: of(max(_FEW, LETTERS[count - 1]))
