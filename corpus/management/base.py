"""Code shared by the management commands that import files."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.outcome import ImportResult, RowMessage, carry_out
from parable.formats.errors import IN_ROWS
from projects.management.base import ProjectCommand
from web.commands import DONE, UNUSABLE, Report

MOST_NOTES: Final = 20
"""The most notes that are printed; the JSON output has all of them."""
MOST_PROBLEMS: Final = 9
MOST_ROWS: Final = 8


class ImportCommand(ProjectCommand):
    """Base class of commands that import files into a project. If a row has an error, nothing is imported."""

    mapping_example: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options of an import."""
        super().add_arguments(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help=_("show what would happen without changing anything")
        )
        parser.add_argument(
            "--sheet",
            default="",
            metavar="NAME",
            help=_(
                "sheet of a spreadsheet (default: the first one with known columns), or configuration of a"
                " data set"
            ),
        )
        parser.add_argument(
            "--map",
            dest="mapping",
            default="",
            metavar="FIELD=COLUMN,...",
            help=_("columns by field, such as %(example)s; default: recognised")
            % {"example": self.mapping_example},
        )
        parser.add_argument(
            "--saved-mapping",
            default="",
            metavar="NAME",
            help=_("columns by field, as saved under this name on the import page"),
        )


def bring(run: Callable[[bool], ImportResult], *, dry_run: bool) -> Report:
    """Import with a dry run first, then really, unless `dry_run` or a row has an error; return the report."""
    return report_on(carry_out(run, dry_run=dry_run))


def display_name(path: Path) -> str:
    """Return the path as text for error messages, with undecodable bytes replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def report_on(result: ImportResult) -> Report:
    """Return the report of an import; the exit code is `UNUSABLE` if there are row errors."""
    issues = result.issues
    return Report(
        lines=tuple(_lines(result)),
        data=result.as_json(),
        problems=tuple(_problems(issues)),
        code=UNUSABLE if issues else DONE,
        verdict=ngettext(
            "Nothing was imported: %(n)d error.",
            "Nothing was imported: %(n)d errors.",
            len(issues),
        )
        % {"n": len(issues)},
    )


def _problems(issues: Sequence[RowMessage]) -> list[str]:
    """Return at most ten lines about row errors.

    Rows with the same field and message are on one line.
    """
    rows: dict[tuple[str, str, str], list[int]] = {}
    for issue in issues:
        rows.setdefault((issue.file, issue.field, issue.message), []).append(issue.row)
    lines = []
    for (file, field, message), found in list(rows.items())[:MOST_PROBLEMS]:
        where = ""
        if len(found) > 1:
            named = ", ".join([*map(str, found[:MOST_ROWS]), *(["…"] if len(found) > MOST_ROWS else [])])
            where = " " + _(IN_ROWS) % {"n": len(found), "rows": named}
        lines.append(_place(RowMessage(file, found[0], field, message + where)))
    if len(rows) > MOST_PROBLEMS:
        more = _("and %(n)d more kinds of errors; --json has all errors")
        lines.append(more % {"n": len(rows) - MOST_PROBLEMS})
    return lines


def _place(message: RowMessage) -> str:
    return _("%(file)s, row %(row)d, %(field)s: %(message)s") % asdict(message)


def _lines(result: ImportResult) -> list[str]:
    counts: Mapping[str, Any] = result.counts() | {"drafts": result.drafts}
    lines = [
        _("%(outcome)s, %(file)s, row %(row)d: %(remark)s")
        % {"outcome": outcome.outcome, "file": outcome.file, "row": outcome.row, "remark": outcome.remark}
        for outcome in result.outcomes
        if outcome.outcome == "duplicate"
    ]
    lines += map(_place, result.remarks)
    lines += map(_place, result.notes[:MOST_NOTES])
    if len(result.notes) > MOST_NOTES:
        lines.append(
            _("and %(n)d more notes; --json has all of them") % {"n": len(result.notes) - MOST_NOTES}
        )
    if result.suspected:
        similar = ngettext(
            "%(n)s new story is similar to another.",
            "%(n)s new stories are similar to others.",
            result.suspected,
        )
        lines.append(similar % {"n": result.suspected})
    if result.dry_run:
        lines.append(_("Dry run: nothing was changed."))
    lines.append(
        _(
            "created %(created)d (%(drafts)d drafts), changed %(changed)d, unchanged"
            " %(unchanged)d, duplicate %(duplicate)d, invalid %(broken)d"
        )
        % counts
    )
    return lines
