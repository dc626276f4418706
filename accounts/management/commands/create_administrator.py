"""manage.py create_administrator."""

import getpass
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.services import create_user
from core.errors import Unusable
from web.commands import ParableCommand, Report


class Command(ParableCommand):
    """Creates an administrator, the first account of a new site. The password is not an argument."""

    purpose = gettext_lazy(
        "Create an administrator. The password is asked for on a terminal, or read from"
        " the first line of standard input; --make-password creates one and prints it"
        " once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for user name, name, and source of the password."""
        super().add_arguments(parser)
        parser.add_argument("new_username", metavar="USERNAME", help=_("user name to sign in with"))
        parser.add_argument("--name", required=True, help=_("display name"))
        parser.add_argument(
            "--make-password", action="store_true", help=_("create a random password and print it once")
        )

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Create the administrator's account, and report its user name."""
        made = secrets.token_urlsafe(15) if options["make_password"] else ""
        user = create_user(
            actor=actor,
            username=options["new_username"],
            name=options["name"],
            password=made or _password(),
            may_create_projects=True,
            is_administrator=True,
        )
        lines = [_("Created the administrator %(name)s.") % {"name": user.username}]
        if made:
            lines.append(_("Password, shown only once: %(password)s") % {"password": made})
        return Report(tuple(lines), {"username": user.username} | ({"password": made} if made else {}))


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass(_("Password: "))
    if password != getpass.getpass(_("Repeat password: ")):
        raise Unusable(_("The two passwords do not match."))
    return password
