"""What the latest check found in each item, as it is stored."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db import transaction
from django.utils import timezone

from annotation.models import Item
from parable.quality.finding import Finding
from parable.quality.gates import ERROR, GATES, WARNING, GateResult
from parable.quality.gates.faulty_items import FaultyItems
from projects.models import Project
from release.models import GateCheck, ItemFinding
from web.rows import create_rows

_AT_ONCE: Final = 5_000


@transaction.atomic
def save_check(
    *,
    project: Project,
    seen: list[int],
    findings: Mapping[str, object],
    results: Iterable[GateResult],
    found: Iterable[tuple[str, Finding]],
) -> None:
    """Save what a check found: `findings` as JSON for its page, and the open findings of each item.

    `results` are those of the gates for all items, and `found` what checks of single items found, with ids of
    items. `seen` is the fingerprint of the project before the check (`what_stands`): items that were reworded
    since get no findings.
    """
    GateCheck.objects.update_or_create(
        project=project, defaults={"checked_at": timezone.now(), "seen": seen, "findings": findings}
    )
    rows = [*_of_checks(found), *_of_gates(results)]
    numbers = list(dict.fromkeys(row.item_id for row in rows))
    _transition, last_revision, *_others = seen
    revisions: dict[int, int | None] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        same = Item.objects.filter(project=project, current__lte=last_revision)
        same = same.filter(pk__in=numbers[start : start + _AT_ONCE])
        revisions |= dict(same.values_list("pk", "current"))
    ItemFinding.objects.filter(project=project).delete()  # findings of an earlier check
    create_rows(_of_project(rows, project, revisions))


def _of_project(
    rows: Iterable[ItemFinding], project: Project, revisions: dict[int, int | None]
) -> Iterator[ItemFinding]:
    for row in rows:
        if revision := revisions.get(row.item_id):
            row.project, row.revision_id = project, revision
            yield row


def _of_checks(found: Iterable[tuple[str, Finding]]) -> Iterator[ItemFinding]:
    for name, one in found:
        yield ItemFinding(
            item_id=int(name), code=one.check, severity=one.severity, place=one.place, params=dict(one.params)
        )


def _of_gates(results: Iterable[GateResult]) -> Iterator[ItemFinding]:
    """Yield a finding for each item that a gate names. Checks of single items are findings themselves."""
    for result in results:
        if result.verdict not in {ERROR, WARNING} or result.id == FaultyItems.id:
            continue
        if GATES[result.id].story_field:  # its findings are about stories
            continue
        params = {"figure": result.figure, "threshold": result.threshold}
        for name in result.items:
            if name.isdecimal():
                yield ItemFinding(
                    item_id=int(name),
                    code=result.id,
                    task=result.task or "",
                    severity=result.verdict,
                    params=params,
                )
