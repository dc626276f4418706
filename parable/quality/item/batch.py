"""Items that are held to the checks together, so that one search rules out most of them.

Most checks find nothing in most items, and asking each check about each item takes most of the time that a
large set needs. `Check.candidates` says of a whole batch which items a check must be asked about.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from parable.quality.item import words

if TYPE_CHECKING:
    from parable.quality.item.base import ItemView


class Lines:
    """The texts of a batch, one for each item, joined by line feeds so that they are searched at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Join the texts."""
        self._texts = texts
        self._joined = "\n".join(texts)
        self._ends = [*accumulate(len(text) + 1 for text in texts)]

    def __iter__(self) -> Iterator[str]:
        """Yield the text of each item."""
        return iter(self._texts)

    def having(self, *patterns: re.Pattern[str]) -> set[int]:
        r"""Return the items in whose texts one of the patterns is found; some may be named that have none.

        At the end of its text a pattern sees a line feed: `$` needs `re.MULTILINE` (see `by_lines`), and no
        lookahead may forbid what the next text can begin with.
        """
        found: set[int] = set()
        for pattern in patterns:
            start = 0
            # After a match the search goes on with the next item, as the match may extend into it.
            while start < len(self._joined) and (match := pattern.search(self._joined, start)):
                item = bisect_right(self._ends, match.start())
                found.add(item)
                start = self._ends[item]
        return found


class Batch:
    """Items that are held to the checks together, with what several checks need of all of them."""

    def __init__(self, items: Sequence["ItemView"]) -> None:
        """Take the items; all else is computed once, if a check asks for it."""
        self.items = items

    def where(self, may_have: Callable[["ItemView"], object]) -> list[int]:
        """Return the items for which a function returns something true."""
        return [index for index, item in enumerate(self.items) if may_have(item)]

    @cached_property
    def typed_stems(self) -> Lines:
        """The stems as checks read them, not folded."""
        return Lines([item.own_stem for item in self.items])

    @cached_property
    def stems(self) -> Lines:
        """The folded stems, each with single spaces on one line."""
        return Lines([" ".join(stem.split()) for stem in words.fold_all([*self.typed_stems])])

    @cached_property
    def bare(self) -> list[list[str]]:
        """The options that are not blank in the form of `words.bare`, by item."""
        folded = words.fold_all([text for item in self.items for text in item.texts])
        texts = map(words.bare_of_folded, folded)
        return [[*islice(texts, len(item.texts))] for item in self.items]

    @cached_property
    def options(self) -> Lines:
        """The options of `bare`, each on its own line."""
        return Lines([*map("\n".join, self.bare)])

    @cached_property
    def runs(self) -> list[frozenset[str]]:
        """The runs of letters and digits in the options, by item."""
        return [*map(words.runs_of_folded, self.options)]

    @cached_property
    def typed_options(self) -> Lines:
        """The texts of the options that are not blank, not folded, each on its own line."""
        return Lines(["\n".join(item.texts) for item in self.items])

    @cached_property
    def typed(self) -> Lines:
        """The stem and the options of each item, not folded, each on its own line."""
        both = zip(self.typed_stems, self.typed_options, strict=True)
        return Lines([f"{stem}\n{options}" for stem, options in both])

    @cached_property
    def lengths(self) -> list[list[int]]:
        """The lengths of the options that are not blank, in visible characters, by item."""
        return [[*map(words.length, item.texts)] for item in self.items]


def on_a_line(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that finds the lines that a pattern matches as a whole."""
    return re.compile(rf"^(?:{pattern.pattern})$", pattern.flags | re.MULTILINE)


def at_line_start(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that finds the lines that begin with what a pattern matches."""
    return re.compile(rf"^(?:{pattern.pattern})", pattern.flags | re.MULTILINE)


def by_lines(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that finds in each of many lines at least what this one finds in a text."""
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)
