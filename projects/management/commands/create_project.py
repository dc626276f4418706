"""manage.py create_project."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from core.errors import Unusable
from projects.models import Language
from projects.services import create_project
from web.commands import ParableCommand, Report


class Command(ParableCommand):
    """Creates a project with the default types and targets."""

    purpose = gettext_lazy("Create a project with the five commonsense types and default targets.")

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for slug, name and language."""
        super().add_arguments(parser)
        parser.add_argument(
            "slug", metavar="SLUG", help=_("short name: lowercase letters, digits and hyphens")
        )
        parser.add_argument("--name", required=True, help=_("name shown to people"))
        parser.add_argument(
            "--language", required=True, choices=Language.values, help=_("the language of its stories")
        )

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Create the project; the acting user becomes its manager."""
        try:
            project = create_project(
                actor=actor,
                slug=options["slug"],
                name=options["name"].strip(),
                language=options["language"],
            )
        except Unusable as error:
            by_field = "\n".join(f"{field}: {sentence}" for field, sentence in error.fields.items())
            raise Unusable(by_field or str(error), error.fields) from error
        line = _("Created the project “%(name)s” (%(slug)s).") % {"name": project, "slug": project.slug}
        return Report((line,), {"project": project.slug, "name": project.name})
