"""Services that create, change, retire and test endpoints.

Workers read an API key from their environment, or from the database, where a manager stored it (see `key`).
"""

import os
import time
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Unusable, require
from jobs.errors import KEY_MISSING, KEY_NOT_BOUND, sentence
from jobs.models import Endpoint, EndpointKind
from jobs.permissions import may_keep_endpoints
from jobs.queries import key_refusal_of
from jobs.services.host import variable_name_problem
from jobs.services.key import discard_key, stored_key
from jobs.services.rate_limit import seconds_to_wait
from parable.llm.addresses import parse_base_url, resolve
from parable.llm.client import ONCE, RESERVED_PARAMETERS, EndpointSpec, Message, ask
from parable.llm.errors import AddressRefused, KeyRefused, LlmError, Unreachable
from projects.models import Project

ABOUT: Final = frozenset(
    {
        "base_url",
        "key_variable",
        "parameters",
        "parallel_calls",
        "price_in",
        "price_out",
        "requests_per_minute",
        "timeout_seconds",
        "tokens_per_minute",
    }
)
TRIAL_SECONDS: Final = 20.0
TRIAL_QUESTION: Final = "Answer with one word: ready"
_LOOKUP_SECONDS: Final = 3.0
_LARGEST_PARAMETERS: Final = 4_000  # characters of JSON


def create_endpoint(
    *,
    actor: User,
    project: Project,
    name: str,
    model: str,
    kind: str = EndpointKind.OPENAI,
    **details: Any,
) -> Endpoint:
    """Create an endpoint. Only managers may.

    The names in `details` must be from ABOUT. Raises `Unusable`, naming the invalid fields: for example, an
    address inside the network that the settings do not allow, or a variable that may not hold keys or is not
    bound to this server.
    """
    require(may_keep_endpoints(actor, project))
    _refuse_unknown(details.keys() - ABOUT)
    endpoint = Endpoint(
        project=project, name=name.strip(), model=model.strip(), kind=kind, created_by=actor, **details
    )
    if kind == EndpointKind.MANUAL:
        endpoint.base_url = endpoint.key_variable = ""
    _check(endpoint)
    with transaction.atomic():
        endpoint.save()
        record_event(actor=actor, verb="create_endpoint", subject=endpoint)
    return endpoint


def _refuse_unknown(names: AbstractSet[str]) -> None:
    for name in sorted(names):
        message = _("Unknown endpoint field “%(field)s”.") % {"field": name}
        raise Unusable(message, name)


def edit_endpoint(*, actor: User, endpoint: Endpoint, **details: Any) -> Endpoint:
    """Change an endpoint's settings for future calls. Only managers may.

    The names in `details` must be `name`, `model` or from ABOUT. Existing calls keep their model and
    parameters. A stored key is deleted if the server changes, or if `key_variable` replaces it. Raises
    `Unusable` like `create_endpoint`.
    """
    require(may_keep_endpoints(actor, endpoint.project))
    _refuse_unknown(details.keys() - ABOUT - {"name", "model"})
    before = Endpoint.objects.get(pk=endpoint.pk)
    after = copy(before)
    for name, value in details.items():
        setattr(after, name, value.strip() if name in {"name", "model", "base_url"} else value)
    if after.kind == EndpointKind.MANUAL:
        after.base_url = after.key_variable = ""
    _check(after)  # resolves the host, so it runs before anything is locked
    changed = sorted(name for name in details if getattr(after, name) != getattr(before, name))
    if not changed:
        return after
    if {"base_url", "model"} & set(changed):
        after.takes_schema = None
    with transaction.atomic():
        Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        after.save(update_fields=[*changed, "takes_schema"])
        if _moves(before, after) or ("key_variable" in changed and after.key_variable):
            discard_key(actor=actor, endpoint=after)
        record_event(actor=actor, verb="edit_endpoint", subject=after, detail={"changed": changed})
    return after


def _moves(before: Endpoint, after: Endpoint) -> bool:
    if before.base_url == after.base_url or before.kind == EndpointKind.MANUAL:
        return False
    return str(parse_base_url(before.base_url)) != str(parse_base_url(after.base_url))


def _check(endpoint: Endpoint) -> None:
    problems: dict[str, str] = {}
    try:  # the address is validated by our own rules: a host without a dot is valid on a campus
        endpoint.clean_fields(exclude=["base_url"])
        endpoint.validate_unique()
        endpoint.validate_constraints(exclude=["base_url"])
    except ValidationError as error:
        names = {"__all__": "name"}
        problems = {names.get(name, name): " ".join(texts) for name, texts in error.message_dict.items()}
    problems.update({name: text for name, text in _own_problems(endpoint).items() if name not in problems})
    if problems:
        raise Unusable(problems)


def _own_problems(endpoint: Endpoint) -> dict[str, str]:
    found = {
        "base_url": _address_problem(endpoint),
        "key_variable": _variable_problem(endpoint.key_variable),
        "parameters": _parameter_problem(endpoint.parameters),
    }
    if not found["base_url"] and not found["key_variable"]:
        found["key_variable"] = key_refusal_of(endpoint)
    for name in ("requests_per_minute", "tokens_per_minute", "parallel_calls", "timeout_seconds"):
        if not getattr(endpoint, name):
            found[name] = _("Must be at least 1.")
    for name in ("price_in", "price_out"):
        if getattr(endpoint, name) < 0:
            found[name] = _("A price cannot be negative.")
    return {name: text for name, text in found.items() if text}


def _address_problem(endpoint: Endpoint) -> str:
    if endpoint.kind == EndpointKind.MANUAL:
        return ""
    if not endpoint.base_url:
        return _("Enter the base URL, such as https://host/v1.")
    if len(endpoint.base_url) > 400:
        return _("Too long: at most %(limit)d characters.") % {"limit": 400}
    try:
        resolve(endpoint.base_url, allowed_hosts=settings.LLM_ALLOW_PRIVATE, timeout=_LOOKUP_SECONDS)
    except AddressRefused as error:
        return sentence(error.code)
    except Unreachable:
        return ""  # the server may be unavailable just now; every call checks the address again
    return ""


def _variable_problem(name: str) -> str:
    """Return why this environment variable may not hold an API key; "" if it may.

    Without this check, an endpoint could send another secret of the workers.
    """
    return variable_name_problem(name) if name else ""


def _parameter_problem(parameters: object) -> str:
    if not isinstance(parameters, Mapping) or len(str(parameters)) > _LARGEST_PARAMETERS:
        return _("Parameters must be a JSON object such as {“temperature”: 0.9}.")
    clash = sorted(RESERVED_PARAMETERS.intersection(parameters))
    return _("“%(name)s” is set by Parable.") % {"name": clash[0]} if clash else ""


def endpoint_spec(endpoint: Endpoint, *, model: str, parameters: Mapping[str, Any]) -> EndpointSpec:
    """Return the settings for a call to the endpoint, including the decrypted API key.

    Raise KeyRefused if a required key cannot be used.
    """
    return EndpointSpec(
        base_url=endpoint.base_url,
        model=model,
        api_key=_key(endpoint),
        parameters=dict(parameters),
        allowed_hosts=settings.LLM_ALLOW_PRIVATE,
    )


def _key(endpoint: Endpoint) -> str:
    stored = stored_key(endpoint)
    if stored is not None:
        return stored
    if not endpoint.key_variable:
        return ""
    # Checked again: settings and bindings may have changed since the endpoint was saved.
    if _variable_problem(endpoint.key_variable):
        raise KeyRefused(code=KEY_MISSING)
    if key_refusal_of(endpoint):
        raise KeyRefused(code=KEY_NOT_BOUND)
    key = os.environ.get(endpoint.key_variable, "")
    if not key.strip():
        raise KeyRefused(code=KEY_MISSING)
    return key


@transaction.atomic
def retire_endpoint(*, actor: User, endpoint: Endpoint) -> None:
    """Retire an endpoint; its calls and answers remain. Only managers may."""
    require(may_keep_endpoints(actor, endpoint.project))
    endpoint.retired_at = timezone.now()
    endpoint.save(update_fields=["retired_at"])
    record_event(actor=actor, verb="retire_endpoint", subject=endpoint)


@transaction.atomic
def bring_back_endpoint(*, actor: User, endpoint: Endpoint) -> None:
    """Restore a retired endpoint. Only managers may."""
    require(may_keep_endpoints(actor, endpoint.project))
    endpoint.retired_at = None
    endpoint.save(update_fields=["retired_at"])
    record_event(actor=actor, verb="bring_back_endpoint", subject=endpoint)


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a test call. `sentence` is the message for the user, `server_says` that of the server."""

    is_well: bool
    sentence: str
    server_says: str = ""
    latency_ms: int | None = None


def try_endpoint(*, actor: User, endpoint: Endpoint) -> Tried:
    """Send a short test prompt to the endpoint, and return the result or a description of the error.

    Only managers may. The test counts as a request for the rate limit.
    """
    require(may_keep_endpoints(actor, endpoint.project))
    if endpoint.kind == EndpointKind.MANUAL:
        return Tried(is_well=True, sentence=_("This endpoint is used by hand; there is nothing to test."))
    wait = seconds_to_wait(endpoint)
    if wait:
        text = _("Its requests per minute are used up. Try again in %(seconds)d s.")
        return Tried(is_well=False, sentence=text % {"seconds": round(wait) or 1})
    record_event(actor=actor, verb="try_endpoint", subject=endpoint)
    began = time.perf_counter()
    try:
        ask(
            endpoint_spec(endpoint, model=endpoint.model, parameters=endpoint.parameters),
            [Message("user", TRIAL_QUESTION)],
            timeout=min(TRIAL_SECONDS, endpoint.timeout_seconds),
            retries=ONCE,
        )
    except LlmError as error:
        return Tried(is_well=False, sentence=sentence(error.code), server_says=error.reason)
    latency = round((time.perf_counter() - began) * 1000)
    text = _("It answered in %(seconds).1f s.") % {"seconds": latency / 1000}
    return Tried(is_well=True, sentence=text, latency_ms=latency)
