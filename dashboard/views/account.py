"""Pages on which a user downloads all data about them, and on which an account is closed."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import orjson
from allauth.account.forms import ReauthenticateForm
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.permissions import may_administer
from accounts.queries import get_person
from accounts.services import close_account, record_event
from core.errors import Conflict, require
from dashboard.forms import NameAgainForm
from dashboard.queries.account import data_of, holdings_of
from web.passwords import hashes_password
from web.requests import signed_in

ROWS_A_CHUNK = 200


@login_required
@require_POST
def my_data(request: HttpRequest) -> StreamingHttpResponse:
    """Return all data that the site holds of the user as a JSON file, streamed while it is read."""
    user = signed_in(request)
    record_event(actor=user, verb="export_own_data", subject=user)
    response = StreamingHttpResponse(_json_chunks(data_of(user)), content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="parable-{user.pk}.json"'
    return response


def _json_chunks(parts: Iterable[tuple[str, Iterable[Mapping[str, object]]]]) -> Iterator[bytes]:
    opening = b"{\n"
    for name, found in parts:
        rows, sign = iter(found), b""
        yield opening + orjson.dumps(name) + b": ["
        while some := list(islice(rows, ROWS_A_CHUNK)):
            yield sign + b",\n".join(orjson.dumps(row, default=str) for row in some)
            sign = b",\n"
        yield b"]"
        opening = b",\n"
    yield b"\n}\n"


@hashes_password
@sensitive_post_parameters("password")
@login_required
@require_http_methods(["GET", "POST"])
def close_own(request: HttpRequest) -> HttpResponse:
    """Show what closing the account ends and keeps; POST with the password closes it."""
    user, data = signed_in(request), request.POST if request.method == "POST" else None
    # a user who signs in elsewhere has no password here
    form = (
        ReauthenticateForm(data, user=user) if user.has_usable_password() else NameAgainForm(data, user=user)
    )
    if not form.is_valid():
        return _page(request, user, form)
    try:
        close_account(actor=user, user=user)
    except Conflict as error:
        form.add_error(None, str(error))
        return _page(request, user, form)
    logout(request)
    messages.success(request, _("Your account is closed."))
    return redirect("account_login")


@login_required
@require_http_methods(["GET", "POST"])
def close_other(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what closing another's account ends and keeps; POST with the user name closes it."""
    actor = signed_in(request)
    require(may_administer(actor))
    person = get_person(pk)
    if person.pk == actor.pk:
        return redirect("dashboard:close_account")
    form = NameAgainForm(request.POST if request.method == "POST" else None, user=person)
    if not form.is_valid():
        return _page(request, person, form)
    try:
        close_account(actor=actor, user=person)
    except Conflict as error:
        form.add_error(None, str(error))
        return _page(request, person, form)
    messages.success(request, _("Account closed: %(name)s.") % {"name": person})
    return redirect("accounts:people")


def _page(request: HttpRequest, person: User, form: object) -> HttpResponse:
    is_own = person.pk == signed_in(request).pk
    context = {"person": person, "is_own": is_own, "form": form, "holdings": holdings_of(person)}
    return render(request, "dashboard/close_account.html", context)
