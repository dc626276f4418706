"""The page of the user's own profile and sessions."""

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.i18n import set_language

from accounts.browsers import browser_name
from accounts.forms import AS_ASKED, UTC, ProfileForm
from accounts.models import User
from accounts.queries import sessions_of
from accounts.services import choose_language, end_other_sessions, update_profile
from core.errors import Unusable
from web.forms import put_errors
from web.requests import signed_in

MOST_SESSIONS = 20


@login_required
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show the user's own profile; POST changes it."""
    user = signed_in(request)
    initial = {
        "name": user.name,
        "language": user.language or AS_ASKED,
        "time_zone": user.time_zone or UTC,
        "email": user.email,
        "wants_mail": user.wants_mail,
    }
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            update_profile(actor=user, **form.profile())
        except Unusable as error:
            put_errors(form, error)
        else:
            with override(user.language or None):
                messages.success(request, _("Saved."))
            return redirect("accounts:profile")
    this = request.session.session_key
    sessions = [
        (row, browser_name(row.user_agent), row.session_key == this)
        for row in sessions_of(user)[:MOST_SESSIONS]
    ]
    return render(request, "accounts/profile.html", {"form": form, "sessions": sessions})


@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # allauth has no annotations
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End all sessions of the user except this one. The password is asked for before.

    Who sends that form twice is led here by GET, which ends none.
    """
    if request.method == "GET":
        return redirect("accounts:profile")
    count = end_other_sessions(actor=signed_in(request), key=request.session.session_key)
    text = ngettext(
        "Signed out of %(count)d other session.", "Signed out of %(count)d other sessions.", count
    )
    messages.success(request, text % {"count": count} if count else _("There was no other session."))
    return redirect("accounts:profile")


@login_required
@require_safe
def no_password(request: HttpRequest) -> HttpResponse:
    """Say to users who sign in with a provider that they have no password here; allauth leads them here."""
    text = _("Your account has no password: you sign in with %(name)s.") % {"name": settings.OIDC_NAME}
    messages.info(request, text)
    return redirect("accounts:profile")


@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Change the language in this browser and, for users with a language in their profile, there as well."""
    language = request.POST.get("language", "")
    if isinstance(request.user, User) and request.user.language:
        choose_language(actor=request.user, language=language)
    return set_language(request)
