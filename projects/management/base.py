"""The base class of management commands that act on one project."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from projects.models import Project
from projects.queries import get_project
from web.commands import ParableCommand, Report


class ProjectCommand(ParableCommand):
    """Base class of commands that take `--project SLUG` and act on that project."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option `--project` to the options of every command."""
        super().add_arguments(parser)
        parser.add_argument("--project", required=True, metavar="SLUG", help=_("the project's short name"))

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Call `act_on` with the project given by `--project`, and return its report."""
        slug = options["project"]
        try:
            project = get_project(user=actor, slug=slug)
        except Hidden as error:
            raise Hidden(_("There is no project “%(slug)s”.") % {"slug": slug}) from error
        return self.act_on(project, actor, options)

    @abstractmethod
    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Run the command for this project, and return its report."""
