"""Pages for administrators that list all users, let them create projects, and create password links."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.permissions import may_administer
from accounts.queries import get_person, reset_links_until, with_second_factor
from accounts.queries import people as find_people
from accounts.services import allow_projects, issue_reset_link, reset_second_factor
from core.errors import require
from web.requests import signed_in

PAGE = 50


def _administrator(request: HttpRequest) -> User:
    user = signed_in(request)
    require(may_administer(user))
    return user


@login_required
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    """Show all accounts that are not closed; `?q=` searches names and user names."""
    _administrator(request)
    search = request.GET.get("q", "").strip()[:150]
    page = Paginator(find_people(search), PAGE).get_page(request.GET.get("page"))
    context = {"page_obj": page, "search": search, "protected": with_second_factor(page)}
    return render(request, "accounts/people.html", context)


@login_required
@require_POST
def allow(request: HttpRequest, pk: int) -> HttpResponse:
    """Allow a user to create projects, or withdraw this permission."""
    actor, person = _administrator(request), get_person(pk)
    allowed = request.POST.get("allowed") == "yes"
    allow_projects(actor=actor, user=person, allowed=allowed)
    sentence = (
        _("%(name)s can now create projects.") if allowed else _("%(name)s can no longer create projects.")
    )
    messages.success(request, sentence % {"name": person})
    return redirect("accounts:people")


@login_required
@require_POST
def reset_factor(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove the second factor of a user who has lost it."""
    actor, person = _administrator(request), get_person(pk)
    reset_second_factor(actor=actor, user=person)
    messages.success(request, _("Second factor removed: %(name)s.") % {"name": person})
    return redirect("accounts:people")


@login_required
@require_POST
def reset_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Create a link with which a user can set a new password, and show the link once."""
    person = get_person(pk)
    issued = issue_reset_link(actor=_administrator(request), user=person)
    link = request.build_absolute_uri(reverse("accounts:reset", args=[issued.uid, issued.token]))
    context = {
        "person": person,
        "link": link,
        "until": reset_links_until(),
        "back": reverse("accounts:people"),
    }
    return render(request, "accounts/reset_link.html", context)
