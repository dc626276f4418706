"""The page on which a user sets a new password with a link."""

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.queries import find_reset_user, has_second_factor
from accounts.services import set_password_by_link
from core.errors import Conflict, Unusable
from web.forms import NewPasswordForm
from web.passwords import hashes_password


@hashes_password
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def reset_password(request: HttpRequest, uidb64: str, token: str) -> HttpResponse:
    """Show the form for a new password; POST sets it and signs the user in."""
    form, user = NewPasswordForm(request.POST if request.method == "POST" else None), None
    try:
        person = find_reset_user(uid=uidb64, token=token)
        if form.is_valid():
            password = form.cleaned_data["password"]
            user = set_password_by_link(uid=uidb64, token=token, password=password)
    except Conflict as error:
        return render(request, "accounts/link_past_use.html", {"reason": str(error)}, status=error.status)
    except Unusable as error:
        form.add_error("password", error.fields.get("password", str(error)))
    if user is None:
        return render(request, "accounts/reset_password.html", {"form": form, "person": person})
    if has_second_factor(user):  # a link replaces the password only
        messages.success(request, _("Password changed. Sign in with it."))
        return redirect("account_login")
    login(request, user)
    messages.success(request, _("Password changed. You are signed in."))
    return redirect("dashboard:home")
