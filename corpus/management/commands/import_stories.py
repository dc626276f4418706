"""manage.py import_stories."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from corpus.management.base import ImportCommand, bring, display_name
from corpus.services import import_stories
from parable.formats import read_stories
from projects.models import Project
from web.commands import Report


class Command(ImportCommand):
    """Brings the stories of one file into a project."""

    purpose = gettext_lazy(
        "Import stories from a JSONL, CSV or XLSX file, or those of the items in any file that import_items"
        " reads. Running it twice changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what an import takes."""
        parser.add_argument("path", type=Path, metavar="PATH", help=_("file to import"))
        super().add_arguments(parser)

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Read the file and bring it in."""
        path: Path = options["path"]
        readings = [read_stories(path, name=display_name(path), sheet=options["sheet"])]
        return bring(
            lambda dry_run: import_stories(actor=actor, project=project, readings=readings, dry_run=dry_run),
            dry_run=options["dry_run"],
        )
