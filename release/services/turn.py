"""Locks a team and the uploads that it shares with others, before it sends something."""

from django.utils.translation import gettext as _

from core.errors import Conflict
from release.models import Release, Team, UploadState
from release.queries.team import descent, left, team_of, uploads


def lock_turn(token: str) -> Team:
    """Return the team with this token, locked with what it shares, if it has an upload left.

    A prompt or a model that it submits uses one up, too. Raise `Hidden` or `Conflict` otherwise.
    """
    team = team_of(token)
    team = Team.objects.select_for_update(of=("self",)).select_related("release__project").get(pk=team.pk)
    # lock the oldest related release, so that two teams cannot both use the last shared upload
    list(Release.objects.select_for_update(no_key=True).filter(pk=min(descent(team.release))).order_by("pk"))
    _check_turn(team)
    return team


def _check_turn(team: Team) -> None:
    if uploads(team).filter(state=UploadState.WAITING).exists():
        raise Conflict(_("Your last file is still being scored. Upload the next one afterwards."))
    now = left(team)
    if not now.of_team:
        words = _("Your team has used all its %(n)d uploads. Ask the person who invited you for more.")
        raise Conflict(words % {"n": team.in_all})
    if not now.of_release:
        words = _(
            "All teams together have used their %(n)d uploads. Ask the person who invited you for more."
        )
        raise Conflict(words % {"n": team.release.uploads_in_all})
    if not now.this_week:
        words = _("Your team has used its %(n)d uploads of these seven days. Come back later.")
        raise Conflict(words % {"n": team.per_week})
