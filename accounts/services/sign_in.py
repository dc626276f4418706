"""Services that end sessions, and record sign-ins, sign-outs and wrong passwords.

They write to the audit trail and the log.
"""

import logging
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.models import User, UserSession
from accounts.queries import ended_sessions
from accounts.services.account import record_event, system_account
from core.personal import Personal

logger = logging.getLogger(__name__)

BURSTS: Final = (10, 100, 1000, 10_000)
"""The counts of wrong passwords from one address within `BURST_SECONDS` that are recorded."""
BURST_SECONDS: Final = 600


def record_sign_in(*, user: User, address: str, browser: str) -> None:
    """Record that the user signed in from this address with this browser."""
    record_event(
        actor=user, verb="sign_in", subject=user, detail={"address": address, "browser": browser[:200]}
    )
    logger.info("sign-in of %s (number %d) from %s", Personal(user.username), user.pk, Personal(address))


def record_sign_out(*, user: User, address: str) -> None:
    """Record that the user signed out."""
    record_event(actor=user, verb="sign_out", subject=user, detail={"address": address})
    logger.info("sign-out of %s (number %d) from %s", Personal(user.username), user.pk, Personal(address))


def record_failure(*, address: str) -> None:
    """Count a wrong password from this address, and record the count if it is one of `BURSTS`."""
    name = f"sign-in-failures:{address}"
    cache.add(name, 0, timeout=BURST_SECONDS)
    try:
        count = cache.incr(name)
    except ValueError:  # it has just expired
        return
    if count in BURSTS:
        system, detail = system_account(), {"address": address, "failures": count}
        record_event(actor=system, verb="failed_sign_ins", subject=system, detail=detail)
        logger.warning(
            "%d wrong passwords from %s within %d minutes", count, Personal(address), BURST_SECONDS // 60
        )


def record_lock(*, rule: str, user: User | None, address: str, seconds: int) -> None:
    """Record that a limit on wrong passwords was reached, once for each lock.

    `rule` is one of the values of `accounts.adapters.LIMITS`, `seconds` the duration of the lock. Nothing is
    recorded for unknown user names, unless the limit is that of an address: there may be any number of them.
    """
    if rule == "address":
        user, locked = None, address
    elif user is None:
        return
    else:
        locked = f"{user.pk}:{address}" if rule == "name_and_address" else f"{user.pk}"
    if not cache.add(f"sign-in-lock:{rule}:{locked}", 1, timeout=seconds):
        return
    system = system_account()
    record_event(
        actor=system, verb="lock_sign_in", subject=user or system, detail={"limit": rule, "address": address}
    )
    name, number = (Personal(user.username), f" (number {user.pk})") if user else ("anybody", "")
    logger.warning(
        "sign-in of %s%s locked for a while, by %s; the last attempt came from %s",
        *(name, number, rule, Personal(address)),
    )


def mark_session_seen(*, key: str) -> None:
    """Save the current time as the time at which the session was last used."""
    UserSession.objects.filter(session_key=key).update(seen_at=timezone.now())


@transaction.atomic
def end_other_sessions(*, actor: User, key: str | None) -> int:
    """End all sessions of the actor except the one with this key; return the number of ended sessions."""
    # ended on request
    ended, _rows = UserSession.objects.filter(user=actor).exclude(session_key=key).delete()
    record_event(actor=actor, verb="sign_out_elsewhere", subject=actor, detail={"sessions": ended})
    return ended


def forget_ended_sessions() -> None:
    """Delete sessions that have expired, or were not used for too long."""
    ended_sessions().delete()  # ended by their date
