"""One's own name, language and time zone."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from accounts.forms import AS_ASKED, UTC, ProfileForm
from accounts.models import User
from accounts.services import choose_language, update_profile
from core.errors import Unusable
from web.forms import put_errors
from web.requests import signed_in


@login_required
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show and change what one says about oneself."""
    user = signed_in(request)
    initial = {
        "name": user.name,
        "language": user.language or AS_ASKED,
        "time_zone": user.time_zone or UTC,
        "email": user.email,
        "wants_mail": user.wants_mail,
    }
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _saved(user, form):
        with override(user.language or None):
            messages.success(request, _("Saved."))
        return redirect("accounts:profile")
    return render(request, "accounts/profile.html", {"form": form})


def _saved(user: User, form: ProfileForm) -> bool:
    try:
        update_profile(actor=user, **form.profile())
    except Unusable as error:
        put_errors(form, error)
        return False
    return True


@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Speak another language on this device, and to a signed-in person everywhere."""
    language = request.POST.get("language", "")
    if isinstance(request.user, User) and request.user.language:
        choose_language(actor=request.user, language=language)
    return set_language(request)
