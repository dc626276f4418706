"""The command `manage.py import_items`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.importer import IMPORT_STATES, ITEMS, ByColumns, by_columns
from annotation.queries.item import type_codes
from annotation.services import import_items_as
from corpus.management.base import ImportCommand, bring, display_name
from corpus.queries import get_mapping
from parable.formats import AUTO, ITEM_FORMATS, read_items
from parable.formats.published import TIED_TASKS
from parable.formats.source_file import source_file
from projects.models import Project
from web.commands import Report

DEFAULT_WRITER: Final = "Imported"


class Command(ImportCommand):
    """Imports items and their stories into a project."""

    purpose = gettext_lazy(
        "Import items and their stories. Items without a key become drafts. Running it twice changes nothing."
    )
    mapping_example = "stem=question,key=label@0,options=A..D,story:WORDS"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the paths of the files and the options of the import."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=_("files to import"))
        super().add_arguments(parser)
        parser.add_argument("--format", choices=ITEM_FORMATS, default=AUTO, help=_("file format"))
        parser.add_argument(
            "--numbers",
            type=int,
            choices=(0, 1),
            help=_("the number of the first option, in answers that are numbers; default: found in the file"),
        )
        parser.add_argument(
            "--task",
            default="",
            choices=TIED_TASKS,
            help=_("the task of items without answers whose fields fit several tasks"),
        )
        parser.add_argument(
            "--state",
            choices=IMPORT_STATES,
            default="in_review",
            help=_("initial state of complete items; others become drafts"),
        )
        parser.add_argument(
            "--replace-stories",
            action="store_true",
            help=_("let rows replace items of the same ID that are about another story"),
        )
        parser.add_argument(
            "--writer",
            default=DEFAULT_WRITER,
            metavar="NAME",
            help=_("writer's name, linked to an account that cannot sign in; created when first used"),
        )

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Read the files, and import their stories and items. Import nothing if a row is invalid."""
        codes = type_codes(project)
        name = options["saved_mapping"]
        saved = get_mapping(project=project, purpose=ITEMS.purpose, name=name).columns if name else None
        readings = []
        for path in options["paths"]:
            file = source_file(path)
            chosen: ByColumns = {"columns": None, "mapping": options["mapping"]}
            if saved is not None:
                chosen = by_columns(file, saved, options["sheet"], options["format"])
            readings.append(
                read_items(
                    file,
                    name=display_name(path),
                    format=options["format"],
                    types=codes,
                    numbers=options["numbers"],
                    sheet=options["sheet"],
                    task=options["task"],
                    **chosen,
                )
            )
        return bring(
            lambda dry_run: import_items_as(
                actor=actor,
                project=project,
                readings=readings,
                state=options["state"],
                writer_name=options["writer"],
                dry_run=dry_run,
                may_replace=options["replace_stories"],
            ),
            dry_run=options["dry_run"],
        )
