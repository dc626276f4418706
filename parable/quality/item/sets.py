"""Checks of single items, run on a whole set: a file, or the items of a release.

Findings that a writer must answer may be a matter of taste in other people's files. A set *fails* only
because of certain errors in items (`Check.fails_sets`), or if stems quote keys more often than by chance.
"""

import random
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import exp, lgamma, log, log1p
from typing import Final, NamedTuple, TypeVar

from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.finding import Finding
from parable.quality.item import CHECKS, RULES, judge, judge_batch
from parable.quality.item.base import Check
from parable.quality.item.batch import Batch
from parable.quality.item.from_records import story_key, views_of
from parable.quality.item.key import named_in
from parable.quality.item.words import has_han_alone

SAMPLE: Final = 30_000
"""The number of items sampled from a larger set; errors of form are checked in all items."""
AT_ONCE: Final = 250
"""The number of items that are checked together as a batch."""
SEED: Final = 20_261_125
FEWEST_NAMED: Final = 5
LEAST_SHARE: Final = 0.05
"""A set fails if keys are quoted in the stems of `FEWEST_NAMED` items that are at least this proportion
..."""
MANY_NAMED: Final = 10
"""... or of at least this many items, whatever their proportion."""
CERTAIN: Final = 0.001
"""A set fails only if the p-value of so many quoted options being keys is below this."""

LEFT_OPEN: Final = frozenset({"type_missing", "key_missing", "explanation_missing"})
"""Checks of fields that a whole file may omit on purpose; then they are not reported for each item."""

T = TypeVar("T")
OnItem = Callable[[ItemRecord, Sequence[Finding]], None]

_QUOTED: Final = "stem_names_key"
IN_ALL: Final = ("empty_option", "equal_options", "key_empty")
"""Checks for errors of form, which run on all items of a large set."""
_ALWAYS: Final = tuple(CHECKS[name] for name in IN_ALL)


@dataclass(frozen=True, slots=True)
class SetFindings:
    """The findings in a set: ids of items by check, in the order of checks, and the failed checks.

    `items` is the number of items; `looked_at` is the number of items that all checks have read, which is
    smaller for a sample.
    """

    items: int
    looked_at: int
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    sentences: Mapping[str, Finding] = field(default_factory=dict)
    """The first finding of each check, by check, as an example for its sentence."""
    unread: int = 0
    """The number of items in languages whose words the checks do not know."""

    @property
    def is_sample(self) -> bool:
        """Whether only a sample of the items was checked, as the set was too large."""
        return self.looked_at < self.items

    def share(self, check: str) -> tuple[float, float, float] | None:
        """Return (proportion, low, high) of sampled items with findings of a check.

        Return None if all items were checked.
        """
        if not self.is_sample or check in IN_ALL:
            return None
        found = len(self.found.get(check, ()))
        return found / self.looked_at, *wilson_interval(found, self.looked_at)

    def as_json(self) -> dict[str, object]:
        """Return the findings as a JSON object, as commands print them."""
        shares = {check: share for check in self.found if (share := self.share(check)) is not None}
        return {
            "item_checks": {check: list(ids) for check, ids in self.found.items()},
            **({"looked_at": self.looked_at, "shares": shares} if self.is_sample else {}),
            **({"unread": self.unread} if self.unread else {}),
            "rules": dict(RULES),
        }


class Looked(NamedTuple):
    """The findings of the checks in one item of a set.

    `sure` has the checks with certain findings. If exactly one option is quoted in the stem, `named` is
    (whether it is the key, the probability of this by chance), else None. `is_read`: see `ItemView`.
    """

    findings: tuple[Finding, ...]
    sure: tuple[str, ...]
    named: tuple[bool, float] | None
    is_read: bool


class FormErrors(NamedTuple):
    """Errors of form: ids of items by check, and the checks with certain findings."""

    found: dict[str, list[str]]
    sure: set[str]


NO_ERRORS: Final = FormErrors({}, set())


def look_at(
    records: Sequence[ItemRecord],
    *,
    standard_stems: Collection[str] = (),
    checks: Iterable[Check] = tuple(CHECKS.values()),
) -> Iterator[Looked]:
    """Yield the findings of these checks in each item, compared with the other items of its story."""
    wanted = tuple(checks)
    views = views_of(records, standard_stems=standard_stems)
    while taken := [*islice(views, AT_ONCE)]:
        batch = Batch(taken)
        named = named_in(batch)
        for index, (view, findings) in enumerate(zip(taken, judge_batch(batch, wanted), strict=True)):
            alone = named.get(index)
            yield Looked(
                findings,
                tuple(one.check for one in findings if CHECKS[one.check].is_sure(view, one)),
                None if alone is None else (alone.is_key, 1 / len(view.filled)),
                view.is_read,
            )


def judge_set(
    records: Sequence[ItemRecord],
    *,
    standard_stems: Collection[str] = (),
    checks: Iterable[Check] = tuple(CHECKS.values()),
    sample: int = SAMPLE,
    on_item: OnItem | None = None,
    looked: Iterable[Looked] | None = None,
) -> SetFindings:
    """Return the findings of these checks in a set.

    A set of more than `sample` items is checked in a seeded sample. `on_item` is called with each checked
    item and its findings. `looked` are the results of `look_at` for the sampled items, if the caller already
    has them.
    """
    chosen = drawn(records, sample)
    wanted = tuple(checks)
    if looked is None:
        looked = look_at(chosen, standard_stems=standard_stems, checks=wanted)
    everywhere = form_errors(records, wanted) if len(chosen) < len(records) else NO_ERRORS
    return judge_drawn(chosen, looked, len(records), everywhere, wanted, on_item)


def judge_drawn(
    chosen: Sequence[ItemRecord],
    looked: Iterable[Looked],
    items: int,
    everywhere: FormErrors,
    wanted: Sequence[Check] = tuple(CHECKS.values()),
    on_item: OnItem | None = None,
) -> SetFindings:
    """Return the findings of a set of which the checks have read these items.

    `items` is the number of items in the set; `everywhere` are the `form_errors` in all of them, if only some
    were read.
    """
    found: dict[str, list[str]] = {}
    first: dict[str, Finding] = {}
    named: list[tuple[bool, float]] = []
    sure: set[str] = set()
    unread = 0
    for record, one in zip(chosen, looked, strict=True):
        if one.named is not None:
            named.append(one.named)
        if on_item is not None:
            on_item(record, one.findings)
        sure.update(one.sure)
        unread += not one.is_read
        for finding in one.findings:
            first.setdefault(finding.check, finding)
        for check in dict.fromkeys(finding.check for finding in one.findings):
            found.setdefault(check, []).append(record.id)
    found, sure = found | everywhere.found, sure | everywhere.sure
    kept = _without_left_out(found, chosen)
    failed = [check.id for check in wanted if check.id in sure]
    if _QUOTED in kept and is_telling(named, len(chosen)):
        failed.append(_QUOTED)
    ordered = {check.id: tuple(kept[check.id]) for check in wanted if check.id in kept}
    return SetFindings(items, len(chosen), ordered, tuple(failed), first, unread)


def drawn(records: Sequence[T], most: int = SAMPLE) -> Sequence[T]:
    """Draw at most `most` records with a fixed seed; they keep their order."""
    return records if len(records) <= most else [records[place] for place in places_drawn(len(records), most)]


def places_drawn(records: int, most: int = SAMPLE) -> Sequence[int]:
    """Return the positions that `drawn` draws from so many records."""
    if records <= most:
        return range(records)
    return sorted(random.Random(SEED).sample(range(records), most))  # noqa: S311 -- a sample, no secret


def by_whole_stories(records: Sequence[ItemRecord], most: int) -> list[list[int]]:
    """Divide items into parts of about `most` without splitting a story; return positions by part."""
    of_story: dict[Hashable, list[int]] = {}
    for index, record in enumerate(records):
        of_story.setdefault(story_key(record) or index, []).append(index)
    parts: list[list[int]] = [[]]
    for places in of_story.values():
        if len(parts[-1]) >= most:
            parts.append([])
        parts[-1] += places
    return parts


def form_errors(records: Sequence[ItemRecord], wanted: Collection[Check] = _ALWAYS) -> FormErrors:
    """Return errors of form in all items of a large set.

    Only items that a fast test cannot rule out are checked.
    """
    checks = [check for check in _ALWAYS if check in wanted]
    suspects = [record for record in records if _may_repeat(record.choices)]
    found: dict[str, list[str]] = {}
    sure: set[str] = set()
    for record, view in zip(suspects, views_of(suspects), strict=True):
        findings = judge(view, checks)
        sure |= {one.check for one in findings if CHECKS[one.check].is_sure(view, one)}
        for check in {finding.check for finding in findings}:
            found.setdefault(check, []).append(record.id)
    return FormErrors(found, sure)


def _may_repeat(choices: Sequence[str]) -> bool:
    if has_han_alone("".join(choices)):
        plain = {*choices}
    else:
        plain = {choice.strip(" .。").casefold() for choice in choices}
    return len(plain) < len(choices) or "" in plain


def _without_left_out(found: Mapping[str, list[str]], records: Sequence[ItemRecord]) -> dict[str, list[str]]:
    """Remove findings about fields that a whole split omits, such as the keys of a test split."""
    parts: dict[tuple[str, str | None], set[str]] = {}
    for record in records:
        parts.setdefault((record.task, record.split), set()).add(record.id)
    kept = dict(found)
    for check in LEFT_OPEN & kept.keys():
        lacking = set(kept[check])
        on_purpose = {name for ids in parts.values() if ids <= lacking for name in ids}
        kept[check] = [name for name in kept[check] if name not in on_purpose]
    return {check: ids for check, ids in kept.items() if ids}


def is_telling(named: Sequence[tuple[bool, float]], items: int) -> bool:
    """Return whether options quoted in stems are often keys, and more often than by chance.

    `named` has the values of `Looked.named` that are not None; `items` is the number of items.
    """
    keys = sum(is_key for is_key, _chance in named)
    is_many = keys >= MANY_NAMED or keys >= max(FEWEST_NAMED, LEAST_SHARE * items)
    if not is_many:
        return False
    chance = sum(chance for _is_key, chance in named) / len(named)
    return tail(keys, len(named), chance) < CERTAIN


def tail(hits: int, trials: int, chance: float) -> float:
    """Return the probability of at least this many hits in independent trials."""
    if chance >= 1.0:
        return 1.0
    return sum(
        exp(
            lgamma(trials + 1)
            - lgamma(k + 1)
            - lgamma(trials - k + 1)
            + k * log(chance)
            + (trials - k) * log1p(-chance)
        )
        for k in range(hits, trials + 1)
    )
