"""Service that checks imported items. It reports findings by check and, unless they reveal a key, by row."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext

from annotation.services.check import describe
from corpus.outcome import RowMessage
from parable.formats.records import ItemRecord, Row, released
from parable.kinds import kind_of
from parable.quality.item import CHECKS, Finding
from parable.quality.item.sets import LEFT_OPEN, judge_set
from parable.quality.kinds import CHECKS as KIND_CHECKS
from parable.quality.kinds import judge

FileRow = tuple[str, Row[ItemRecord]]


def check_rows(
    rows: Sequence[FileRow], *, standard_stems: Collection[str]
) -> tuple[dict[str, tuple[str, ...]], list[RowMessage]]:
    """Run all checks on the items of an import. Return the ids of items with findings by check, and notes.

    A user who previews an import does not see its keys before asking for them. So for a finding that depends
    on the key, only the number of items is displayed; every other warning becomes a note on its row.
    """
    notes: list[RowMessage] = []
    places = {id(row.record): (file, row.row) for file, row in rows}

    def note(record: ItemRecord, findings: Sequence[Finding]) -> None:
        file, number = places[id(record)]
        for one in findings:
            check = CHECKS[one.check]
            if check.at_desk and not check.reveals_key and check.id not in LEFT_OPEN:
                notes.append(RowMessage(file, number, one.place, describe(one)))

    found = judge_set([row.record for _file, row in rows], standard_stems=standard_stems, on_item=note)
    named = dict(found.found)
    for file, row in rows:
        published = kind_of(row.record.task).published
        if published is None or not row.record.is_keyed:
            continue
        contradictions: dict[str, list[str]] = {}  # parts of an answer, by check
        for one in judge(published.value(released(row.record))):
            contradictions.setdefault(one.check, []).append(one.place)
        for check, parts in contradictions.items():
            named[check] = (*named.get(check, ()), row.record.id)
            name = gettext(KIND_CHECKS[check].name)
            notes.extend(RowMessage(file, row.row, part, name) for part in parts)
    return named, notes
