"""The gates over items that are not released yet: asked for by managers or by the night, done by a worker."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation.models import Item
from core.errors import require
from parable.quality.gates import GateResult, judge_together
from projects.models import Project
from release.models import GateCheck
from release.permissions import may_check_gates
from release.unreleased import Part, parts, projects_to_check, what_stands

SHOWN_OFFENDERS: Final = 12
SIGN_OF_LIFE: Final = timedelta(seconds=2)


@transaction.atomic
def order_gate_check(*, actor: User, project: Project) -> GateCheck:
    """Ask for a fresh check; tell a worker once the transaction stands. Managers only."""
    require(may_check_gates(actor, project))
    return _want(project)


@transaction.atomic
def order_nightly_checks() -> list[int]:
    """Ask for a check of every project in which something has moved since the last; the projects' ids."""
    found = projects_to_check()
    for project in found:
        _want(project)
    return [project.pk for project in found]


def _want(project: Project) -> GateCheck:
    """One that is under way already goes on: it looks at what stands when it begins."""
    check, _made = GateCheck.objects.get_or_create(project=project)
    if not check.is_under_way:
        check.wanted_at, check.done, check.parts, check.heartbeat_at = timezone.now(), 0, 0, None
        check.save(update_fields=["wanted_at", "done", "parts", "heartbeat_at"])
    return check


def run_gate_check(*, project_id: int) -> None:
    """Look at all parts and write down what the gates say of each; safe to run twice."""
    project = Project.objects.get(pk=project_id)
    # As old as the moment it begins: what moves meanwhile is not seen yet.
    begun, seen = timezone.now(), what_stands(project)
    looked_at = parts(project)
    GateCheck.objects.filter(project=project).update(done=0, parts=len(looked_at), heartbeat_at=begun)
    results = judge_together([(part.items, part.gates) for part in looked_at], _heart(project))
    findings = {
        "items": len(looked_at[0].items.items) if looked_at else 0,
        "parts": [_finding(part, found) for part, found in zip(looked_at, results, strict=True)],
    }
    GateCheck.objects.update_or_create(
        project=project, defaults={"checked_at": timezone.now(), "seen": seen, "findings": findings}
    )


def fail_gate_check(*, project_id: int) -> None:
    """Note that a fault has ended the check."""
    GateCheck.objects.filter(project=project_id).update(failed_at=timezone.now())


def _heart(project: Project) -> Callable[[int], None]:
    """Notes how many parts are done, at most every other second."""
    last = timezone.now()

    def beat(done: int) -> None:
        nonlocal last
        now = timezone.now()
        if now - last >= SIGN_OF_LIFE:
            last = now
            GateCheck.objects.filter(project=project).update(done=done, heartbeat_at=now)

    return beat


def _finding(part: Part, results: Iterable[GateResult]) -> dict[str, Any]:
    return {
        "kind": part.kind,
        "style": part.style,
        "user": part.user,
        "items": len(part.items.items),
        "answers": [_answer(one) for one in results if one.looked_at],
    }


def _answer(result: GateResult) -> dict[str, Any]:
    """A gate's answer, how many items it names, and the first of them."""
    named = result.items or tuple(result.detail.get("stands_out", ()))
    detail = {name: said for name, said in result.detail.items() if name not in {"stands_out", "tried"}}
    return {
        **result.as_json(),
        "items": [],
        "named": len(named),
        "offenders": _offenders(named[:SHOWN_OFFENDERS]),
        "stands_out": "stands_out" in result.detail,
        "looked_at": result.looked_at,
        "detail": detail,
    }


def _offenders(ids: Iterable[str]) -> list[dict[str, Any]]:
    wanted = [int(name) for name in ids if name.isdecimal()]
    found = Item.objects.select_related("story__current").in_bulk(wanted)
    return [
        {"item": pk, "id": found[pk].ref or f"#{pk}", "title": _title(found[pk])}
        for pk in wanted
        if pk in found
    ]


def _title(item: Item) -> str:
    return item.story.current.title if item.story.current else ""
