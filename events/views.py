"""Pages of webhooks: list, addition, settings, and deliveries."""

from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Unusable
from events import services
from events.forms import WebhookForm
from events.models import DeliveryState, EventKind, Webhook
from events.queries import counts_of, deliveries_of, get_delivery, get_webhook, sentence, webhooks_of
from jobs.permissions import may_allow_hosts
from jobs.queries import stores_keys
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.forms import put_errors
from web.requests import MemberRequest

LISTED: Final = 50
TONES: Final = {DeliveryState.DELIVERED: "good", DeliveryState.GIVEN_UP: "wrong"}


@project_page(Permission.SEE_PROJECT, change=Permission.CHANGE_PROJECT)
@require_http_methods(["GET", "POST"])
def show_list(request: MemberRequest, project: Project) -> HttpResponse:
    """Show a project's webhooks, with a form to add one. POST adds it and shows its secret once."""
    form = WebhookForm(request.POST or None, initial={"types": EventKind.values})
    if form.is_valid():
        try:
            made = services.create_webhook(actor=request.user, project=project, **form.cleaned_data)
        except (Conflict, Unusable) as error:
            put_errors(form, error)
        else:
            return _render_one(request, made.row, secret=made.secret)
    webhooks = list(webhooks_of(project))
    counts = counts_of(webhooks)
    context = {
        "project": project,
        "section": "settings",
        "webhooks": [(webhook, counts.get(webhook.pk, {})) for webhook in webhooks],
        "form": form,
        "stores_keys": stores_keys(),
        "may_allow_hosts": bool(may_allow_hosts(request.user)),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "events/webhooks.html", context, status=status)


@project_page(Permission.SEE_PROJECT, change=Permission.CHANGE_PROJECT)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a webhook with its deliveries; POST changes its URL and types of events."""
    webhook = get_webhook(project=project, pk=pk)
    form = WebhookForm(
        request.POST if request.method == "POST" else None,
        initial={"url": webhook.url, "types": webhook.types},
    )
    if form.is_valid():
        try:
            services.change_webhook(actor=request.user, webhook=webhook, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("events:webhook", project.slug, pk)
    return _render_one(request, webhook, form=form, status=400 if request.method == "POST" else 200)


def _render_one(
    request: MemberRequest,
    webhook: Webhook,
    *,
    form: WebhookForm | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    page = Paginator(deliveries_of(webhook), LISTED).get_page(request.GET.get("page"))
    context = {
        "project": webhook.project,
        "section": "settings",
        "webhook": webhook,
        "form": form or WebhookForm(initial={"url": webhook.url, "types": webhook.types}),
        "secret": secret,
        "page_obj": page,
        "deliveries": [
            (one, sentence(one.reason_code), TONES.get(DeliveryState(one.state), "")) for one in page
        ],
    }
    return render(request, "events/webhook.html", context, status=status)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def pause(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Pause a webhook, so that nothing is sent to it."""
    webhook = get_webhook(project=project, pk=pk)
    services.change_webhook(actor=request.user, webhook=webhook, is_active=False)
    messages.success(request, _("Paused. New events are not sent to this webhook."))
    return redirect("events:webhook", project.slug, pk)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def resume(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Resume a paused webhook."""
    webhook = get_webhook(project=project, pk=pk)
    services.change_webhook(actor=request.user, webhook=webhook, is_active=True)
    messages.success(request, _("Resumed. Events from now on are sent."))
    return redirect("events:webhook", project.slug, pk)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def replace_secret(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Replace the secret of a webhook and show the new one once."""
    webhook = get_webhook(project=project, pk=pk)
    try:
        made = services.replace_secret(actor=request.user, webhook=webhook)
    except Conflict as error:
        messages.error(request, str(error))
        return redirect("events:webhook", project.slug, pk)
    return _render_one(request, made.row, secret=made.secret)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def delete(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Delete a webhook with its deliveries."""
    webhook = get_webhook(project=project, pk=pk)
    services.delete_webhook(actor=request.user, webhook=webhook)
    messages.success(request, _("Webhook deleted."))
    return redirect("events:webhooks", project.slug)


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def send_again(request: MemberRequest, project: Project, pk: int, delivery: int) -> HttpResponse:
    """Send the event of a delivery again."""
    webhook = get_webhook(project=project, pk=pk)
    found = get_delivery(webhook=webhook, pk=delivery)
    try:
        services.send_again(actor=request.user, webhook=webhook, delivery=found)
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The event is sent again."))
    return redirect("events:webhook", project.slug, pk)
