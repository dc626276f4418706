"""Batches of items that are checked together, so that one search rules out most items.

Most checks find nothing in most items, and running each check on each item takes most of the time for a large
set. `Check.candidates` returns the items of a batch on which a check must run.
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
    """The texts of a batch, one per item, joined by line feeds so that one search reads all of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Join the texts."""
        self._texts = texts
        self._joined = "\n".join(texts)
        self._ends = [*accumulate(len(text) + 1 for text in texts)]

    def __iter__(self) -> Iterator[str]:
        """Yield the text of each item."""
        return iter(self._texts)

    def having(self, *patterns: re.Pattern[str]) -> set[int]:
        r"""Return the indexes of items whose text may match one of the patterns; a few may not match.

        A text is followed by a line feed and the next text: `$` needs `re.MULTILINE` (see `by_lines`), and a
        negative lookahead must not exclude anything that the next text can begin with.
        """
        found: set[int] = set()
        for pattern in patterns:
            start = 0
            # After a match, search on from the next item, even if the match extends into it.
            while start < len(self._joined) and (match := pattern.search(self._joined, start)):
                item = bisect_right(self._ends, match.start())
                found.add(item)
                start = self._ends[item]
        return found


class Batch:
    """Items that are checked together, with properties that several checks need, computed once."""

    def __init__(self, items: Sequence["ItemView"]) -> None:
        """Store the items; properties are computed when a check first uses them."""
        self.items = items

    def where(self, may_have: Callable[["ItemView"], object]) -> list[int]:
        """Return the indexes of the items for which the function returns a true value."""
        return [index for index, item in enumerate(self.items) if may_have(item)]

    @cached_property
    def typed_stems(self) -> Lines:
        """The stems as checks read them, not folded."""
        return Lines([item.own_stem for item in self.items])

    @cached_property
    def stems(self) -> Lines:
        """The folded stems, each on one line with single spaces."""
        return Lines([" ".join(stem.split()) for stem in words.fold_all([*self.typed_stems])])

    @cached_property
    def bare(self) -> list[list[str]]:
        """By item, the options that are not blank, in the form that `words.bare` returns."""
        folded = words.fold_all([text for item in self.items for text in item.texts])
        texts = map(words.bare_of_folded, folded)
        return [[*islice(texts, len(item.texts))] for item in self.items]

    @cached_property
    def options(self) -> Lines:
        """The `bare` options, each on its own line."""
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
    """Return a pattern that matches a whole line if the given pattern matches it."""
    return re.compile(rf"^(?:{pattern.pattern})$", pattern.flags | re.MULTILINE)


def at_line_start(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that matches the given pattern only at the beginning of lines."""
    return re.compile(rf"^(?:{pattern.pattern})", pattern.flags | re.MULTILINE)


def by_lines(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern with `^` and `$` matching at each line, for texts that are joined as lines."""
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)
