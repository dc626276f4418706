"""The command `manage.py compare_releases`: prints the differences between two releases."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from core.errors import require
from projects.management.base import ProjectCommand
from projects.models import Project
from release.permissions import may_open_release
from release.queries.lineage import compared, comparison, require_comparable
from release.queries.release import get_release
from web.commands import DONE, Report

KINDS = ("added", "retired", "reworded", "moved")


class Command(ProjectCommand):
    """Prints the differences between two releases of a project."""

    purpose = gettext_lazy("Compare two releases: added, retired, excluded, changed and moved items.")

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the two versions."""
        super().add_arguments(parser)
        parser.add_argument("before", metavar="BEFORE", help=_("version such as 1.0.0"))
        parser.add_argument("after", metavar="AFTER", help=_("another version"))

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Compare the two releases and return a report of the differences."""
        before, after = (
            get_release(user=actor, project=project, version=options[name]) for name in ("before", "after")
        )
        for release in (before, after):
            require(may_open_release(actor, release))
        require_comparable(before, after)
        found = comparison(before, after, compared(before, after).as_json())
        return Report(lines=tuple(_lines(found)), data=found, code=DONE)


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    words = {
        "added": _("added: %(items)s"),
        "retired": _("retired or excluded: %(items)s"),
        "reworded": _("changed: %(items)s"),
        "moved": _("moved: %(items)s"),
    }
    yield _("%(n)d items unchanged.") % {"n": found["same"]}
    for kind in KINDS:
        for one in found[kind]:
            yield words[kind] % {"items": one if isinstance(one, str) else _change(one)}


def _change(one: Mapping[str, Any]) -> str:
    fields = ", ".join(one.get("fields", ()))
    places = [f"{name} {' → '.join(pair)}" for name, pair in one.items() if name not in {"id", "fields"}]
    return f"{one['id']} ({fields or '; '.join(places)})"
