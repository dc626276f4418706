"""Pages of access tokens: those of the user, and for administrators those of all users."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.permissions import may_administer
from core.errors import Conflict, Unusable, require
from projects import services
from projects.forms import TokenForm
from projects.queries import all_tokens, get_any_token, get_token, tokens_of
from web.forms import put_errors
from web.requests import signed_in

PAGE = 50


@login_required
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """Show the user's access tokens; POST creates one, and shows its text once."""
    user, made = signed_in(request), None
    form = TokenForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        try:
            made = services.create_token(actor=user, **form.cleaned_data)
        except (Conflict, Unusable) as error:
            put_errors(form, error)
        else:
            form = TokenForm(user=user)
    context = {
        "form": form,
        "made": made,
        "me_url": request.build_absolute_uri(reverse("api_me")),
        "page_obj": Paginator(tokens_of(user), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "projects/tokens.html", context)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke an access token of the user."""
    user = signed_in(request)
    token = services.revoke_token(actor=user, token=get_token(user=user, pk=pk))
    messages.success(request, _("Access token revoked: %(name)s.") % {"name": token})
    return redirect("projects:tokens")


@login_required
@require_GET
def all_of_site(request: HttpRequest) -> HttpResponse:
    """Show the access tokens of all users to administrators; `?q=` searches the names of tokens and users."""
    require(may_administer(signed_in(request)))
    search = request.GET.get("q", "").strip()[:150]
    page = Paginator(all_tokens(search), PAGE).get_page(request.GET.get("page"))
    return render(request, "projects/all_tokens.html", {"page_obj": page, "search": search})


@login_required
@require_POST
def revoke_any(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke an access token of any user. Only administrators may."""
    user = signed_in(request)
    require(may_administer(user))
    token = services.revoke_token(actor=user, token=get_any_token(pk))
    messages.success(request, _("Access token revoked: %(name)s.") % {"name": token})
    return redirect("projects:all_tokens")
