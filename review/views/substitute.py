"""Pages of substitutes: naming one for a request, and the requests for which the user is a substitute."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from core.errors import Unusable, require
from core.numbers import whole_number
from projects.permissions import belongs
from projects.queries import get_project, members
from review.permissions import may_name_substitute
from review.queries.request import get_request, requests_as_substitute
from review.services.substitute import name_substitute, take_as_substitute
from web.requests import own_address, signed_in


@login_required
@require_GET
def mine(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the items for which this user is a substitute."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(belongs(user, project))
    context = {"project": project, "requests": requests_as_substitute(user, project)[:50]}
    return render(request, "review/substitute.html", context)


@login_required
@require_POST
def name(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Name a substitute for a request, and redirect to the page that the form came from."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    review_request = get_request(project=project, pk=pk)
    require(may_name_substitute(user, review_request))
    person = members(project).filter(pk=whole_number(request.POST.get("person", "")) or 0).first()
    if person is None:
        messages.error(request, _("Select a member."))
        return redirect(_back(request, slug))
    try:
        name_substitute(actor=user, request=review_request, person=person)
    except Unusable as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, _("%(name)s is now deputy; the item is on their home page.") % {"name": person.name}
        )
    return redirect(_back(request, slug))


def _back(request: HttpRequest, slug: str) -> str:
    """Return the page named in the form if it belongs to this site, else the project's page."""
    return own_address(request, request.POST.get("back", "")) or f"/p/{slug}"


@login_required
@require_POST
def take(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Claim the request for which this user is a substitute, and redirect to it."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    review_request = take_as_substitute(actor=user, request=get_request(project=project, pk=pk))
    return redirect("review:request", slug, review_request.public_id)
