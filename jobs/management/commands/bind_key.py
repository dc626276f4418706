"""manage.py bind_key."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from jobs.services import bind_key
from web.commands import ParableCommand, Report


class Command(ParableCommand):
    """Binds an environment variable with an API key to the only server that may receive the key."""

    purpose = gettext_lazy(
        "Allow the key in an environment variable of the workers to be sent to one server only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the variable and the server."""
        super().add_arguments(parser)
        parser.add_argument("variable", help=_("for example PARABLE_LLM_KEY_GLM"))
        parser.add_argument("address", help=_("a host, host:port or base URL"))

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Bind the variable to the server. Replace an earlier binding."""
        binding = bind_key(actor=actor, variable=options["variable"], address=options["address"])
        data = {"variable": binding.variable, "host": str(binding.host)}
        return Report(lines=(_("%(variable)s is sent to %(host)s only.") % data,), data=data)
