"""What the commands that import share."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.outcome import ImportResult
from projects.management.base import ProjectCommand
from web.commands import DONE, UNUSABLE, Report


class ImportCommand(ProjectCommand):
    """A command that brings files into a project, all of them or nothing."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what an import takes."""
        super().add_arguments(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help=_("show what would happen without changing anything")
        )


def shown_name(path: Path) -> str:
    """The path as errors name it: as it was given, as far as it is text."""
    return os.fsencode(path).decode("utf-8", "replace")


def report_on(result: ImportResult) -> Report:
    """What an import did, for people and for scripts; broken rows are unusable input."""
    issues = [
        _("%(file)s, row %(row)d, %(field)s: %(message)s")
        % {"file": issue.file, "row": issue.row, "field": issue.field, "message": issue.message}
        for issue in result.issues
    ]
    return Report(
        lines=tuple(_lines(result)),
        data=result.as_json(),
        problems=tuple(issues),
        code=UNUSABLE if issues else DONE,
        verdict=ngettext(
            "Nothing was imported: %(n)d error.",
            "Nothing was imported: %(n)d errors.",
            len(issues),
        )
        % {"n": len(issues)},
    )


def _lines(result: ImportResult) -> list[str]:
    counts: Mapping[str, Any] = result.counts() | {"drafts": result.drafts}
    lines = [
        _("%(fate)s, %(file)s, row %(row)d: %(remark)s")
        % {"fate": fate.fate, "file": fate.file, "row": fate.row, "remark": fate.remark}
        for fate in result.fates
        if fate.fate == "duplicate"
    ]
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
