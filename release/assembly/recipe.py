"""The recipe of a release: its settings, decided before it is built."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Final

from parable.splits import DEV, MEASURED, SPLITS, TEST, TRAIN

LAYOUT: Final = 8
"""The number of the current layout, which determines the files of a release and their format.

To change these, add a layout with a new number; older layouts remain available.
"""

FIRST: Final = ("split", "dev_share", "withhold_test", "allow", "reason")
"""The fields that every stored recipe has, even if they are empty. Other empty fields are omitted."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a release.

    `split`: the rule of the split. `dev_share`, `train_share`: the shares as typed, "" for no train split.
    `dev_items`: the number of dev items by task, in place of the share. `out_stories`: how many stories are
    entirely in dev if the split is mixed, otherwise 0. `allow`: the overridden gates, with the `reason`.
    `extends`: the version whose items keep split, number and option order. `contact`: where to report errors.
    An `anonymous` release names neither project nor people. `keep_order`: numeric options stay in ascending
    order. `tasks` and `styles`: only these items are included; () means all. `min_rating`: if not 0, only
    items that no reviewer rated lower are included. `without`: the ids of excluded items.
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
        """The settings that select among the verified items: (tasks, styles, lowest rating)."""
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
        """The planned share of each split."""
        of_split = {TRAIN: self.train, DEV: self.share, TEST: 1 - self.train - self.share}
        return {split: of_split[split] for split in self.splits}

    def as_json(self) -> dict[str, Any]:
        """Return the recipe as JSON for storage in a release.

        Empty fields are omitted, except those in `FIRST`.
        """
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        lists = {name: list(value) for name, value in found.items() if isinstance(value, tuple)}
        return {name: value for name, value in (found | lists).items() if value or name in FIRST}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Recipe":
        """Return the recipe from its JSON, as stored in a release."""
        lists = {
            name: tuple(stored[name]) for name in ("allow", "tasks", "styles", "without") if name in stored
        }
        return cls(**{**stored, **lists})


EMPTY: Final = Recipe(split="", dev_share="")
"""A recipe with the default value of every option."""
