"""The command `manage.py publish`: writes the public page of a release as static files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from core.errors import Hidden
from evaluation import services
from evaluation.queries.publication import publication_of
from projects.management.base import ProjectCommand
from projects.models import Project
from release.queries.release import get_release
from web.commands import Report


class Command(ProjectCommand):
    """Writes the public page of a release as static files."""

    purpose = gettext_lazy("Write the public page of a release as static files; the same bytes each time.")

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the version and the output folder."""
        super().add_arguments(parser)
        parser.add_argument("version", metavar="VERSION", help=_("a version, such as 1.0.0"))
        parser.add_argument("folder", type=Path, metavar="DIR", help=_("an empty folder, or an earlier one"))

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Write the files into the folder and report their number. Raise `Hidden` if the page is not open."""
        release = get_release(user=actor, project=project, version=options["version"])
        publication = publication_of(release)
        if publication is None or not publication.is_open:
            raise Hidden(_("This release has no public page. Open it on the release's page first."))
        count = services.publish(actor=actor, publication=publication, folder=options["folder"])
        line = _("%(n)d files written to %(folder)s.") % {"n": count, "folder": options["folder"]}
        return Report(lines=(line,), data={"files": count})
