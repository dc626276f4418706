"""Tables of one model's answers to a release, printed for people and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parable.commands.answer_file import Given, Place
from parable.commands.ended import Ended
from parable.commands.options.of_several import PARABLE
from parable.commands.results.layouts import as_markdown
from parable.commands.score import PRINTED, read_response
from parable.formats.records import ItemRecord
from parable.formats.responses import ResponseRecord
from parable.psychometrics.results.evaluation import make_tables, score_object
from parable.psychometrics.results.sheets import Items, item_fact, make_sheet


def print_tables(
    records: Iterable[ItemRecord],
    model: str,
    asked: Sequence[Place],
    given: Iterable[Given],
    *,
    rule: str = PARABLE,
) -> dict[str, object]:
    """Print the tables for the questions asked, and return the object that `score --json` prints.

    Questions without an answer count as failed.
    """
    wanted = {item for item, _repeat, _rotation in asked}
    known = {one.id: one for one in records if one.id in wanted}
    if not known:
        return {"models": {}}
    items = Items(item_fact(one) for one in known.values())
    filtered = [one for one in given if one.item in known]
    answers = (read_response(_record(model, one), known[one.item], rule) for one in filtered)
    sheet = make_sheet(model, items, answers, asked=asked)
    for table in make_tables(items, [sheet]):
        if table.code in PRINTED:
            print(as_markdown(table, "en"))
    ended = Ended(model)
    for one in filtered:
        ended.add(one.served)
    for line in ended.lines("en"):
        print(line)
    found: dict[str, object] = score_object(items, [sheet])
    return found


def _record(model: str, one: Given) -> ResponseRecord:
    return ResponseRecord(
        model=model,
        item_id=one.item,
        repeat=one.repeat,
        rotation=one.rotation,
        order=one.order,
        text=None if one.outcome else one.text,
        choice=None,
        outcome=one.outcome or None,
        served=one.served,
    )
