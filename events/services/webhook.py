"""Services by which managers add, change and delete the webhooks of a project."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Hidden, Unusable, require
from events.models import Delivery, EventKind, Webhook
from events.permissions import may_change_webhooks
from events.queries import sentence
from events.signature import new_secret
from jobs.permissions import may_allow_hosts
from jobs.queries import is_host_allowed, stores_keys
from jobs.seal import Unreadable, reseal, seal, unseal
from parable.llm.addresses import BaseUrl, carries_keys, parse_base_url, resolve
from parable.llm.errors import AddressRefused, Unreachable
from parable.llm.post import IN_THE_CLEAR
from projects.models import Project

MOST_WEBHOOKS: Final = 10
LONGEST_URL: Final = 400
LOOKUP_SECONDS: Final = 3.0
_URL: Final = re.compile(r"https?://[^/]+(/[A-Za-z0-9/._~%:@+=,!$&'()*;-]*)?", re.ASCII)
"""A URL without a query and a fragment; `parse_base_url` judges the host."""


class Created(NamedTuple):
    """A webhook and its new secret, which is never shown again."""

    row: Webhook
    secret: str


@sensitive_variables("secret")
@transaction.atomic
def create_webhook(*, actor: User, project: Project, url: str, types: Sequence[str]) -> Created:
    """Add a webhook that gets events of these types from now on. Managers only.

    Raises `Unusable` for a URL that may not be called or whose host no administrator has allowed, and for
    unknown types; `Conflict` if the project has too many webhooks or this site cannot store secrets.
    """
    require(may_change_webhooks(actor, project))
    _require_sealing()
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if Webhook.objects.filter(project=project).count() >= MOST_WEBHOOKS:
        raise Conflict(_("A project has at most %(n)d webhooks.") % {"n": MOST_WEBHOOKS})
    values = _checked(url=url, types=types)
    row = Webhook.objects.create(project=project, created_by=actor, **values)
    secret = _store_secret(row)
    record_event(actor=actor, verb="create_webhook", subject=row, detail={"server": _origin(row.url)})
    return Created(row, secret)


@transaction.atomic
def change_webhook(
    *,
    actor: User,
    webhook: Webhook,
    url: str | None = None,
    types: Sequence[str] | None = None,
    is_active: bool | None = None,
) -> Webhook:
    """Change what is given of a webhook: its URL, its types of events, or whether it is active.

    Managers only. While a webhook is paused, nothing is sent and new events make no deliveries; those that
    wait go on when it is active again. Raises `Unusable` like `create_webhook`.
    """
    require(may_change_webhooks(actor, webhook.project))
    values = _checked(url=url, types=types)
    if is_active is not None:
        values |= {"is_active": is_active}
    row = lock_webhook(webhook)
    changed = sorted(name for name, value in values.items() if getattr(row, name) != value)
    for name in changed:
        setattr(row, name, values[name])
    if changed:
        row.busy_until = None  # what failed at the old address says nothing of the new one
        row.save(update_fields=[*changed, "busy_until"])
        detail = {"changed": changed, "server": _origin(row.url)}
        record_event(actor=actor, verb="change_webhook", subject=row, detail=detail)
    return row


@transaction.atomic
def replace_secret(*, actor: User, webhook: Webhook) -> Created:
    """Give a webhook a new secret; deliveries are signed with it from now on. Managers only."""
    require(may_change_webhooks(actor, webhook.project))
    _require_sealing()
    row = lock_webhook(webhook)
    secret = _store_secret(row)
    record_event(actor=actor, verb="replace_webhook_secret", subject=row)
    return Created(row, secret)


@transaction.atomic
def delete_webhook(*, actor: User, webhook: Webhook) -> None:
    """Delete a webhook with its secret and its deliveries; events remain. Managers only."""
    require(may_change_webhooks(actor, webhook.project))
    row = lock_webhook(webhook)
    record_event(actor=actor, verb="delete_webhook", subject=row, detail={"server": _origin(row.url)})
    # a log of attempts to reach an address that is no longer called
    Delivery.objects.filter(webhook=row).delete()
    row.delete()  # with its secret, which must not be kept


@transaction.atomic
def reseal_secrets(*, actor: User) -> tuple[int, int]:
    """Encrypt the secrets of all webhooks again with the first of PARABLE_KEY_SECRETS.

    Return the numbers of those encrypted and of unreadable ones, which are left unchanged. Administrators
    only.
    """
    require(may_allow_hosts(actor))
    _require_sealing()
    done = unreadable = 0
    for row in Webhook.objects.select_for_update().order_by("pk"):
        try:
            row.sealed = reseal(row.sealed, secrets=settings.KEY_SECRETS)
        except Unreadable:
            unreadable += 1
            continue
        row.save(update_fields=["sealed"])
        record_event(actor=actor, verb="reseal_webhook_secret", subject=row)
        done += 1
    return done, unreadable


def lock_webhook(webhook: Webhook) -> Webhook:
    """Return the webhook with its present values, locked until the transaction ends."""
    locked = Webhook.objects.select_for_update(of=("self",), no_key=True).select_related("created_by")
    found = locked.filter(pk=webhook.pk).first()
    if found is None:
        raise Hidden(_("Webhook not found."))
    found.project = webhook.project
    return found


def secret_of(webhook: Webhook) -> str:
    """Return the decrypted secret of a webhook. Raise `Unreadable` if no secret of the site decrypts it."""
    return unseal(webhook.sealed, place=_place(webhook), secrets=settings.KEY_SECRETS or ("",))


def split_url(url: str) -> tuple[BaseUrl, str]:
    """Return the server of a webhook's URL, and the path. Raise AddressRefused if the URL is invalid."""
    if not _URL.fullmatch(url):
        raise AddressRefused(code="address_form")
    scheme, _slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return parse_base_url(f"{scheme}://{host}"), f"{slash}{path}" or "/"


def _checked(*, url: str | None, types: Sequence[str] | None) -> dict[str, object]:
    """Return the given values as they are stored. Raise `Unusable`, naming the invalid ones."""
    problems: dict[str, str] = {}
    values: dict[str, object] = {}
    if url is not None:
        values["url"] = url.strip()
        if text := _url_problem(url.strip()):
            problems["url"] = text
    if types is not None:
        values["types"] = sorted(set(types))
        if not types:
            problems["types"] = _("Select at least one type of event.")
        elif unknown := sorted(set(types) - set(EventKind.values)):
            problems["types"] = _("There are no events of the type “%(type)s”.") % {"type": unknown[0][:40]}
    if problems:
        raise Unusable(problems)
    return values


def _url_problem(url: str) -> str:
    if len(url) > LONGEST_URL:
        return _("Too long: at most %(limit)d characters.") % {"limit": LONGEST_URL}
    try:
        server, _path = split_url(url)
        if not is_host_allowed(server):
            text = _("An administrator must first allow %(host)s under “Key servers”.")
            return text % {"host": f"{server.host}:{server.port}"}
        if not carries_keys(server):
            return sentence(IN_THE_CLEAR)
        resolve(str(server), allowed_hosts=settings.LLM_ALLOW_PRIVATE, timeout=LOOKUP_SECONDS)
    except AddressRefused as error:
        invalid = error.code in ("address_form", "address_scheme", "address_credentials")
        text = _("Enter a URL such as https://host/path, without a query.")
        return text if invalid else sentence(error.code)
    except Unreachable:
        return ""  # the server may be unavailable just now; the address is checked again before each delivery
    return ""


def _require_sealing() -> None:
    if not stores_keys():
        raise Conflict(_("This site cannot store secrets: PARABLE_KEY_SECRETS is not set."))


@sensitive_variables("secret")
def _store_secret(row: Webhook) -> str:
    secret = new_secret()
    row.sealed = seal(secret, place=_place(row), secrets=settings.KEY_SECRETS)
    row.save(update_fields=["sealed"])
    return secret


def _place(webhook: Webhook) -> str:
    """Return the context to which an encrypted secret is bound: its row."""
    return f"webhook {webhook.pk}"


def _origin(url: str) -> str:
    return split_url(url)[0].origin
