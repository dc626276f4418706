"""Services for API keys that managers store: encrypted, sent only to their server, and never displayed.

No error, event or log contains a key or a part of one.
"""

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from jobs.errors import KEY_NOT_ALLOWED, KEY_UNREADABLE
from jobs.models import Endpoint, EndpointKind, StoredKey
from jobs.permissions import may_allow_hosts, may_keep_endpoints
from jobs.queries import is_host_allowed
from jobs.seal import Unreadable, reseal, seal, unseal
from parable.llm.addresses import carries_keys, parse_base_url
from parable.llm.errors import KeyRefused

LONGEST_KEY = 500


@sensitive_variables("key", "text")
@transaction.atomic
def store_key(*, actor: User, endpoint: Endpoint, key: str) -> None:
    """Store an endpoint's API key, replacing an earlier one or an environment variable.

    Only managers may. Raises `Conflict` if this site cannot store keys, `Unusable` if no administrator has
    allowed the endpoint's server, or the key is not valid.
    """
    require(may_keep_endpoints(actor, endpoint.project))
    if not settings.KEY_SECRETS:
        raise Conflict(_("This site cannot store keys: PARABLE_KEY_SECRETS is not set."))
    endpoint = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
    text, problem = key.strip(), _place_problem(endpoint) or _key_problem(key.strip())
    if problem:
        raise Unusable(problem, "key")
    sealed = seal(text, place=_place(endpoint), secrets=settings.KEY_SECRETS)
    StoredKey.objects.update_or_create(endpoint=endpoint, defaults={"sealed": sealed, "stored_by": actor})
    Endpoint.objects.filter(pk=endpoint.pk).update(key_variable="")
    detail = {"server": parse_base_url(endpoint.base_url).origin}
    record_event(actor=actor, verb="store_key", subject=endpoint, detail=detail)


def _key_problem(key: str) -> str:
    if not key:
        return _("Paste the API key.")
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        return _("This is not an API key: a key has only letters, digits and signs, without spaces.")
    return ""


def _place_problem(endpoint: Endpoint) -> str:
    if endpoint.kind == EndpointKind.MANUAL:
        return _("An endpoint used by hand needs no key.")
    url = parse_base_url(endpoint.base_url)
    if not is_host_allowed(url):
        text = _("An administrator must first allow keys to be sent to %(host)s.")
        return text % {"host": f"{url.host}:{url.port}"}
    if not carries_keys(url):
        return _("Keys are sent over https:// only, or to this machine.")
    return ""


def _place(endpoint: Endpoint) -> str:
    return f"{endpoint.pk} {parse_base_url(endpoint.base_url).origin}"


@transaction.atomic
def discard_key(*, actor: User, endpoint: Endpoint) -> bool:
    """Delete the endpoint's stored API key; return whether there was one. Only managers may."""
    require(may_keep_endpoints(actor, endpoint.project))
    gone, _rows = StoredKey.objects.filter(endpoint=endpoint).delete()  # a revoked secret must not be kept
    if gone:
        record_event(actor=actor, verb="discard_key", subject=endpoint)
    return bool(gone)


def stored_key(endpoint: Endpoint) -> str | None:
    """Return the endpoint's decrypted API key, or None if none is stored.

    Raises KeyRefused: `key_not_allowed` if its server is no longer allowed, `key_unreadable` if the site's
    secrets do not decrypt the key or it was stored for another server.
    """
    row = StoredKey.objects.filter(endpoint=endpoint).first()
    if row is None:
        return None
    url = parse_base_url(endpoint.base_url)
    if not is_host_allowed(url) or not carries_keys(url):
        raise KeyRefused(code=KEY_NOT_ALLOWED)
    try:
        return unseal(row.sealed, place=_place(endpoint), secrets=settings.KEY_SECRETS or ("",))
    except Unreadable:
        raise KeyRefused(code=KEY_UNREADABLE) from None


@transaction.atomic
def reseal_keys(*, actor: User) -> tuple[int, int]:
    """Encrypt all stored keys again with the first of PARABLE_KEY_SECRETS; return (encrypted, unreadable).

    Both are numbers of keys. Only administrators may. Afterwards the other secrets can be removed. Unreadable
    keys are left unchanged.
    """
    require(may_allow_hosts(actor))
    if not settings.KEY_SECRETS:
        raise Conflict(_("This site cannot store keys: PARABLE_KEY_SECRETS is not set."))
    done = unreadable = 0
    for row in StoredKey.objects.select_for_update().order_by("pk"):
        try:
            row.sealed = reseal(row.sealed, secrets=settings.KEY_SECRETS)
        except Unreadable:
            unreadable += 1
            continue
        row.save(update_fields=["sealed"])
        record_event(actor=actor, verb="reseal_key", subject=row)
        done += 1
    return done, unreadable
