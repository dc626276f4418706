"""manage.py import_stories."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from core.errors import Unusable
from corpus.management.base import ImportCommand, bring, display_name
from corpus.queries import get_mapping
from corpus.services import import_stories
from corpus.upload import STORIES
from parable.formats import STORY_FIELDS, read_stories
from projects.models import Project
from web.commands import Report


class Command(ImportCommand):
    """Imports the stories of one file into a project."""

    purpose = gettext_lazy(
        "Import stories from a JSONL, CSV or XLSX file, or those of the items in any file that import_items"
        " reads. Running it twice changes nothing."
    )
    mapping_example = "text=passage,title=name"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file's path and the options of all imports."""
        parser.add_argument("path", type=Path, metavar="PATH", help=_("file to import"))
        super().add_arguments(parser)

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Import the stories of the file, and return the report."""
        path: Path = options["path"]
        columns = self._columns(project, options)
        readings = [read_stories(path, name=display_name(path), columns=columns, sheet=options["sheet"])]
        return bring(
            lambda dry_run: import_stories(actor=actor, project=project, readings=readings, dry_run=dry_run),
            dry_run=options["dry_run"],
        )

    def _columns(self, project: Project, options: Mapping[str, Any]) -> Mapping[str, str] | None:
        """Return the column of each field from the saved mapping or `--map`.

        Return None without either; the columns are then matched by name.
        """
        if name := options["saved_mapping"]:
            saved = get_mapping(project=project, purpose=STORIES.purpose, name=name)
            return dict(saved.columns)
        if not options["mapping"]:
            return None
        said = [part.partition("=") for part in options["mapping"].split(",")]
        columns = {field.strip(): column.strip() for field, _sign, column in said}
        if unknown := [field for field, column in columns.items() if field not in STORY_FIELDS or not column]:
            message = _("--map knows the fields %(fields)s, each with a column; not: %(unknown)s.")
            raise Unusable(message % {"fields": ", ".join(STORY_FIELDS), "unknown": ", ".join(unknown)})
        return columns
