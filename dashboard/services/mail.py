"""Service that sends the daily mail. It has only the numbers of news, as mail is not private."""

import logging
from datetime import datetime
from itertools import groupby
from smtplib import SMTPException, SMTPServerDisconnected
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.queries import mail_token, mailed_people
from accounts.services import mark_mailed
from dashboard.queries.news import News, news_of, seen_until, total
from projects.models import Project

logger = logging.getLogger(__name__)

MORNING: Final = 7
"""The hour at which the mail is sent, in the recipient's time zone."""


def send_daily_mail() -> int:
    """Send today's mail to all subscribers who are due and have news; return the number of mails sent."""
    if not settings.MAIL_URL:
        return 0
    due = [user.pk for user in mailed_people().iterator() if _is_due(user, timezone.now())]
    if not due:
        return 0
    server = get_connection()
    try:
        server.open()
        return sum(_mail(pk, server) for pk in due)
    except (SMTPException, OSError) as error:  # retried in an hour
        logger.warning("the mail server does not answer: %s", error)
        return 0
    finally:
        server.close()


def _is_due(user: User, now: datetime) -> bool:
    local = now.astimezone(_zone(user))
    mailed = user.mailed_at and user.mailed_at.astimezone(_zone(user)).date()
    return local.hour >= MORNING and mailed != local.date()


def _zone(user: User) -> ZoneInfo:
    return ZoneInfo(user.time_zone or settings.TIME_ZONE)


@transaction.atomic
def _mail(pk: int, server: BaseEmailBackend) -> bool:
    """Send a user's mail and return whether it was sent. A row lock prevents sending it twice."""
    user, now = mailed_people().select_for_update(skip_locked=True).filter(pk=pk).first(), timezone.now()
    if user is None or not _is_due(user, now):
        return False
    # events that the user saw in the inbox, or that the last mail counted, are not new
    news = news_of(user, max(filter(None, (seen_until(user), user.mailed_at))))
    mark_mailed(user=user, at=now)
    if not news:
        return False
    try:
        server.send_messages([_message(user, news, server)])
    except SMTPServerDisconnected:  # not about one address: the others get their mail in an hour
        raise
    except SMTPException as error:  # about this address only; the others get their mail
        logger.warning("no mail for the account %d: %s", user.pk, type(error).__name__)
        return False
    return True


def _message(user: User, news: list[News], server: BaseEmailBackend) -> EmailMessage:
    with translation.override(user.language or settings.LANGUAGE_CODE):
        stop = settings.SITE_URL + reverse("accounts:stop_mail", args=[mail_token(user)])
        subject = ngettext("Parable: %(n)d new", "Parable: %(n)d new", total(news)) % {"n": total(news)}
        names = dict(Project.objects.filter(pk__in={each.project for each in news}).values_list("pk", "name"))
        by_project: list[str] = []
        for project, each in groupby(news, key=lambda one: one.project):
            by_project += [names[project], *(f"- {one.text}" for one in each), ""]
        lines = [
            _("Hello %(name)s,") % {"name": user},
            "",
            _("New in your inbox:"),
            "",
            *by_project,
            settings.SITE_URL + reverse("dashboard:home"),
            "",
            "-- ",
            _("You asked for this daily mail on your profile page. To stop it, open:"),
            stop,
        ]
        headers = {
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        }
        return EmailMessage(
            subject, "\n".join(lines), settings.MAIL_FROM, [user.email], connection=server, headers=headers
        )
