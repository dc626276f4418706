"""A gate that finds styles that occur in only one split."""

from collections.abc import Sequence
from math import exp, lgamma
from typing import ClassVar, Final

from parable.formats.records import ItemRecord
from parable.quality.gates.base import NOT_APPLICABLE, OK, WARNING, Gate, GateResult, ItemSet, story_of
from parable.sentences import gettext_noop as _
from parable.splits import SPLITS, splits_among

LEAST: Final = 0.0005
"""A style is reported if a random split lacks it with a probability below this value."""


class StyleCoverage(Gate):
    """Find styles of items, such as machine-made ones, that a split lacks."""

    id: ClassVar = "style_coverage"
    name: ClassVar = _("Styles in both splits")
    looks_at: ClassVar = _("Items of a style that one split lacks, where chance would have put some there.")
    needs: ClassVar = _("It needs two splits, and items of both styles.")
    why: ClassVar = _(
        "If machine-style items are in one split alone, dev and test differ in more than their stories, and a"
        " model tuned on dev has not met the style of the test."
    )
    fix: ClassVar = _("Draw both splits from the items of each style.")
    parts: ClassVar = ()
    has_remedy: ClassVar = False

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result per task; the figure is the number of items of a style that a split lacks."""
        return [self._judge_task(task, items.of_task(task)) for task in self.tasks_in(items)]

    def _judge_task(self, task: str, items: Sequence[ItemRecord]) -> GateResult:
        placed = [item for item in items if item.split in SPLITS]
        styles = sorted({item.style for item in placed})
        if len({item.split for item in placed}) < 2 or len(styles) < 2:
            return GateResult(self.id, task, NOT_APPLICABLE, looked_at=len(items))
        splits = splits_among(item.split for item in placed)
        lacking = [[split, style] for split in splits for style in styles if _lacks(placed, split, style)]
        apart = {style for _split, style in lacking}
        found = tuple(item.id for item in placed if item.style in apart)
        return GateResult(
            self.id,
            task,
            WARNING if found else OK,
            figure=len(found),
            threshold=0,
            items=found,
            looked_at=len(placed),
            detail={"lacking": lacking},
        )


def _lacks(items: Sequence[ItemRecord], split: str, style: str) -> bool:
    if any(item.split == split and item.style == style for item in items):
        return False
    stories = len({story_of(item) for item in items})
    of_style = len({story_of(item) for item in items if item.style == style})
    in_split = len({story_of(item) for item in items if item.split == split})
    return are_absent(stories, of_style, in_split)


def are_absent(stories: int, of_style: int, in_split: int) -> bool:
    """Return whether chance would have put some of the stories with a style into a split that has none."""
    return absent_by_chance(stories, of_style, in_split) < LEAST


def absent_by_chance(stories: int, of_style: int, in_split: int) -> float:
    """Return the probability that a randomly drawn split has no story with the style."""
    others = stories - of_style
    return exp(_log_ways(others, in_split) - _log_ways(stories, in_split)) if in_split <= others else 0.0


def _log_ways(many: int, drawn: int) -> float:
    return lgamma(many + 1) - lgamma(drawn + 1) - lgamma(many - drawn + 1)
