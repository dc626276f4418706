"""manage.py doctor."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from dashboard.queries.installation import findings
from web.commands import ANSWER_IS_NO, DONE, ParableCommand, Report


class Command(ParableCommand):
    """Says what is wrong with the installation, and how to fix it."""

    purpose = gettext_lazy(
        "Say what is wrong with this installation and how to fix it. Exits with 1 if something is grave."
    )

    def act(self, actor: User, options: Mapping[str, Any]) -> Report:
        """Return the findings; the exit code is 1 if one of them is grave."""
        found = findings()
        lines = [f"{one.said} {one.cure}" for one in found if not one.is_grave]
        grave = [f"{one.said} {one.cure}" for one in found if one.is_grave]
        return Report(
            lines=tuple(lines) if found else (_("Nothing is wrong."),),
            data={"findings": [one._asdict() for one in found]},
            problems=tuple(grave),
            code=ANSWER_IS_NO if grave else DONE,
            verdict=_("This must be fixed.") if grave else "",
        )
