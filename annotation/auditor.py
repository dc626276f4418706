"""Checks files of items without a project, in the worker: reads and judges them, and ranks the findings."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import orjson

from annotation.importer import by_columns, table_of
from annotation.models import AuditStep
from annotation.services import AUDIT_FINDINGS, AUDIT_JSON, report_name
from corpus.services import Files
from corpus.upload import describe_tables
from jobs.job_types import Report
from parable.commands.audit import judged
from parable.commands.item_files import Files as OneSet
from parable.commands.item_files import as_one_set
from parable.commands.second_process import this_process
from parable.formats.errors import FILE, ErrorCode, RowError, grouped
from parable.formats.items import AUTO, FORMATS, read_items
from parable.formats.limits import ANYBODYS
from parable.formats.mapped_items import first_values
from parable.formats.records import ItemRecord, Reading
from parable.formats.source_file import SourceFile
from parable.quality.gates import GateResult
from parable.quality.item.sets import SetFindings
from parable.quality.ranking import CHECK, answer_of, is_early, rank
from parable.sentences import LANGUAGES
from web.rows import Values

MOST_NAMED: Final = 12
"""The most items of a finding that its page names; the downloads have all."""
MOST_SHOWN: Final = 3
"""The most items of a finding that its page shows whole."""
MOST_REMARKS: Final = 100

Columns = Mapping[str, Mapping[str, Any]]
"""The column, or columns, of each field, by the number of the file."""


def check_files(
    files: Files, columns: Columns, options: Mapping[str, str], report: Report
) -> dict[str, bytes]:
    """Check files, and return what is to be stored, by name: the findings, and reports in each language.

    `columns` and `options` are those that the person chose. Files that cannot be read give findings that say
    why.
    """
    report(AuditStep.READING)
    readings = [_read(columns.get(str(number)), options, *named) for number, named in enumerate(files)]
    one_set = as_one_set(readings)
    findings = {**_about(files, readings, options.get("sheet", "")), **_remarks(one_set)}
    written: dict[str, bytes] = {}
    if one_set.items.items:
        report(AuditStep.TESTING)
        found, results = judged(one_set.items, this_process())
        report(AuditStep.WRITING)
        findings |= _findings(one_set, found, results)
        gates = [one.as_json() for one in results]
        written[AUDIT_JSON] = _json({"items": len(one_set.items.items), "gates": gates, **found.as_json()})
        written |= _reports(one_set, found, results)
    return {AUDIT_FINDINGS: _json(findings), **written}


def _json(content: Mapping[str, Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)


def _read(
    chosen: Mapping[str, Any] | None, said: Mapping[str, str], name: str, file: SourceFile
) -> Reading[ItemRecord]:
    sheet = said.get("sheet", "")
    numbers = int(said["numbers"]) if said.get("numbers") else None
    return read_items(
        file, name=name, rules=ANYBODYS, numbers=numbers, sheet=sheet, **by_columns(file, chosen, sheet, AUTO)
    )


def _about(files: Files, readings: Sequence[Reading[ItemRecord]], sheet: str) -> Values:
    """Return what the page says about the files: their format, and their columns with the first values."""
    offers = [table_of(name, file, sheet, said=AUTO) for name, file in files]
    tables = describe_tables(
        replace(
            offer,
            # an item can be judged without its story
            required=[group for group in offer.required if "story" not in group],
            samples=first_values(file, sheet),
        )
        for offer, (_name, file) in zip(offers, files, strict=True)
    )
    return {
        "tables": tables,
        "formats": sorted({one.format for one in readings if one.format in FORMATS}),
        "rows": sum(len(one.rows) for one in readings),
    }


def _remarks(one_set: OneSet) -> Values:
    errors = grouped(one_set.errors)
    mapped = [one for one in one_set.remarks if one.code != ErrorCode.MAPPED]  # the table of columns says it
    return {
        "items": len(one_set.items.items),
        "errors": list(map(_as_json, errors[:MOST_REMARKS])),
        "lost": len({(one.file, one.row) for one in one_set.errors if one.field != FILE}),
        "remarks": list(map(_as_json, mapped[:MOST_REMARKS])),
    }


def _as_json(one: RowError) -> Values:
    return {
        "file": one.file,
        "row": one.row,
        "field": one.field,
        "code": one.code.value,
        "params": one.params,
        "rows": one.rows[:MOST_NAMED],
        "count": one.count,
        "items": one.items[:MOST_NAMED],
    }


def _findings(one_set: OneSet, found: SetFindings, results: Sequence[GateResult]) -> Values:
    """Return the findings, worst first, with the first items behind each, as JSON."""
    items = one_set.items
    keyed = {task: len(items.keyed(task)) for task in sorted(items.tasks)}
    ranked = rank(results, found.found, found.failed)
    answer = answer_of(results, keyed)
    named = [found.found[one.id] if one.source == CHECK else _named(results[one.place]) for one in ranked]
    shown = {*chain.from_iterable(ids[:MOST_SHOWN] for ids in named)}
    chinese = sum("\u4e00" <= sign <= "\u9fff" for sign in items.items[0].question)
    return {
        "keyed": keyed,
        "has_stories": any(one.story for one in items.items),
        "language": "zh" if chinese > len(items.items[0].question) // 3 else "en",
        "answer": asdict(answer),
        "looked_at": found.looked_at,
        "ranked": [
            {**asdict(one), "items": ids[:MOST_NAMED]} for one, ids in zip(ranked, named, strict=True)
        ],
        "results": [_result(one) for one in results],
        "shown": {one.id: _shown(one) for one in items.items if one.id in shown},
    }


def _named(result: GateResult) -> Sequence[str]:
    """Return the ids of the items of a result, also where they are too few to test."""
    return tuple(result.detail["stands_out"]) if is_early(result) else result.items


def _result(result: GateResult) -> Values:
    """Return a gate's result as JSON, without the ids of its items, which may be many."""
    detail = {**result.detail, **({"stands_out": True} if is_early(result) else {})}
    return {**result.as_json(), "items": [], "looked_at": result.looked_at, "detail": detail}


def _shown(item: ItemRecord) -> Values:
    keys = {item.answer} if item.answer is not None else {*item.answers}
    return {
        "title": item.title,
        "stem": item.question,
        "language": item.language,
        "options": [[option, place in keys] for place, option in enumerate(item.choices)],
    }


def _reports(one_set: OneSet, found: SetFindings, results: Sequence[GateResult]) -> dict[str, bytes]:
    """Return the report in each language, as one HTML page, by the name under which it is stored."""
    from parable.commands.report import find_patterns, write_report  # large, and only this job needs it

    written, patterns = {}, find_patterns(one_set.items)
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            write_report(Path(folder), one_set.items, results, found, language, patterns=patterns)
            written[report_name(language)] = (Path(folder) / "audit.html").read_bytes()
    return written
