"""The base class of all management commands: acting user, report and exit code."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import system_account
from core.errors import ParableError, Unusable

DONE: Final = 0
ANSWER_IS_NO: Final = 1
UNUSABLE: Final = 2


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a command: lines to print, data for `--json`, problems, and the exit code.

    `code` is 0; 1 if the answer is "no"; 2 if the input is not valid. `verdict` is the error message for 1
    and 2.
    """

    lines: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    code: int = DONE
    verdict: str = ""


class ParableCommand(BaseCommand, ABC):
    """Base class of commands that act as a user, exit with 0, 1 or 2, and report errors as sentences.

    Subclasses define `purpose` and `act`, and may add arguments.
    """

    purpose: ClassVar[str | Promise]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return the parser, with the purpose as its help text in the current language."""
        self.help = str(self.purpose)
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments that all commands have. Subclasses that add others call this first."""
        parser.add_argument(
            "--as",
            dest="username",
            metavar="USER",
            help=_("account that acts; default: the system account, recorded in the audit trail"),
        )
        parser.add_argument(
            "--json",
            dest="as_json",
            action="store_true",
            help=_("print one JSON object as the last line"),
        )

    @abstractmethod
    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Run the command, and return its report.

        Raises `ParableError` if the input is not valid (exit code 2).
        """

    def handle(self, *args: Any, **options: Any) -> None:
        """Call `act`, print its report, and exit with the report's code."""
        try:
            # a path may hold any bytes; every other option must be valid text
            for name, value in options.items():
                if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
                    raise Unusable(_("The value of --%(option)s is not UTF-8 text.") % {"option": name})
            report = self.act(_actor(options["username"]), options)
        except ParableError as error:
            raise CommandError(str(error), returncode=UNUSABLE) from error
        for line in report.lines:
            self.stdout.write(line)
        for problem in report.problems:
            self.stderr.write(problem)
        if options["as_json"]:
            self.stdout.write(orjson.dumps(report.data).decode())
        if report.code != DONE:
            raise CommandError(report.verdict, returncode=report.code)


def _actor(username: str | None) -> User:
    if username is None:
        return system_account()
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        raise Unusable(_("There is no account “%(name)s” that can sign in.") % {"name": username})
    return user
