"""What the gates find in a part of the unreleased items, as it is stored."""

from collections.abc import Iterable
from typing import Final

from annotation.models import Item
from parable.quality.gates import GateResult
from release.services.draft_check import KEPT_APART

SHOWN_OFFENDERS: Final = 12


def found_in(
    kind: str, items: int, results: Iterable[GateResult], style: str = "", user: int | None = None
) -> dict[str, object]:
    """Return the results of a part of so many items as JSON."""
    answers = [_answer(one) for one in results if one.looked_at]
    return {"kind": kind, "style": style, "user": user, "items": items, "answers": answers}


def _answer(result: GateResult) -> dict[str, object]:
    """Return a gate's result as JSON, with the number of items behind it and the first of them."""
    named = result.items or tuple(result.detail.get("stands_out", ()))
    detail = {name: said for name, said in result.detail.items() if name not in KEPT_APART}
    wanted = [int(name) for name in named[:SHOWN_OFFENDERS] if name.isdecimal()]
    found = Item.objects.select_related("story__current").in_bulk(wanted)
    offenders = []
    for pk in wanted:
        if item := found.get(pk):
            current = item.story.current
            title = current.title if current else ""
            offenders.append({"item": pk, "id": item.ref or f"#{pk}", "title": title})
    return {
        **result.as_json(),
        "items": [],
        "named": len(named),
        "offenders": offenders,
        "stands_out": "stands_out" in result.detail,
        "looked_at": result.looked_at,
        "detail": detail,
    }
