"""The recipe of a release: the decisions made before it is built."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Final

from parable.splits import DEV, MEASURED, SPLITS, TEST, TRAIN

LAYOUT: Final = 6
"""Which files a release has and how they read. A change of either is a new number; old ones stay."""

FIRST: Final = ("split", "dev_share", "withhold_test", "allow", "reason")
"""What the recipe of every release names, empty or not."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The split rule, the share of dev as typed, and the overridden gates with the reason.

    `extends` is the version whose items keep their places, `contact` where errors are to be reported.
    An `anonymous` one names neither project nor people. `keep_order`: options that are numbers stay in the
    order of their size. Only items of these `tasks` and `styles` are taken (any, where none is named), and
    where `min_rating` is not 0 only those that no reviewer rated lower; never those `without` it, by number.
    `dev_items` sets the number of dev items by task in place of the share; `out_stories`: how many stories
    are wholly in dev where the split is mixed, 0 elsewhere. `train_share`: the share of train as it was
    written, "" where there is no train split.
    """

    split: str
    dev_share: str
    withhold_test: bool = False
    allow: tuple[str, ...] = ()
    reason: str = ""
    extends: str = ""
    contact: str = ""
    anonymous: bool = False
    keep_order: bool = False
    tasks: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    min_rating: int = 0
    without: tuple[int, ...] = ()
    dev_items: Mapping[str, int] = field(default_factory=dict)
    out_stories: int = 0
    train_share: str = ""
    layout: int = LAYOUT

    @property
    def selection(self) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """Return the fields that select among the verified items: tasks, styles and lowest rating."""
        return self.tasks, self.styles, self.min_rating

    @property
    def share(self) -> Fraction:
        """The share of dev as an exact fraction."""
        return Fraction(self.dev_share)

    @property
    def train(self) -> Fraction:
        """The share of train as an exact fraction; 0 if there is no train split."""
        return Fraction(self.train_share or 0)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits of the release, in their order."""
        return SPLITS if self.train_share else MEASURED

    @property
    def planned(self) -> Mapping[str, Fraction]:
        """The share of each split."""
        of_split = {TRAIN: self.train, DEV: self.share, TEST: 1 - self.train - self.share}
        return {split: of_split[split] for split in self.splits}

    def as_json(self) -> dict[str, Any]:
        """Return the recipe as JSON, as a release stores it.

        Options that came later are left out where empty.
        """
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        lists = {name: list(value) for name, value in found.items() if isinstance(value, tuple)}
        return {name: value for name, value in (found | lists).items() if value or name in FIRST}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Recipe":
        """Return the recipe that a release has stored."""
        lists = {
            name: tuple(stored[name]) for name in ("allow", "tasks", "styles", "without") if name in stored
        }
        return cls(**{**stored, **lists})


EMPTY: Final = Recipe(split="", dev_share="")
"""A recipe with the default of every option."""
