"""Jobs in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from jobs.models import (
    AllowedHost,
    Budget,
    Call,
    Endpoint,
    IdempotencyKey,
    KeyBinding,
    ProjectBudget,
    StoredKey,
    Work,
)
from web.admin import ReadOnlyAdmin


@admin.register(Endpoint)
class EndpointAdmin(ReadOnlyAdmin):
    """Language models that can be asked; their keys are in the environment or sealed, not here."""

    list_display = ("name", "project", "kind", "model", "base_url", "retired_at")
    list_select_related = ("project",)
    list_filter = ("kind",)
    search_fields = ("name", "model", "project__slug")


@admin.register(StoredKey)
class StoredKeyAdmin(ReadOnlyAdmin):
    """Which endpoints have a stored key; the key itself is shown to nobody, sealed or not."""

    list_display = ("id", "endpoint", "stored_by", "stored_at")
    list_select_related = ("endpoint", "stored_by")
    search_fields = ("endpoint__name",)
    fields = ("endpoint", "stored_by", "stored_at")


@admin.register(AllowedHost)
class AllowedHostAdmin(ReadOnlyAdmin):
    """Servers that keys may be sent to."""

    list_display = ("host", "port", "note", "allowed_by", "allowed_at", "withdrawn_at")
    list_select_related = ("allowed_by",)
    search_fields = ("host", "note")


@admin.register(KeyBinding)
class KeyBindingAdmin(ReadOnlyAdmin):
    """Environment variables that hold keys, and the server that each is bound to."""

    list_display = ("variable", "host", "bound_by", "bound_at", "withdrawn_at")
    list_select_related = ("host", "bound_by")
    search_fields = ("variable", "host__host")


@admin.register(Work)
class WorkAdmin(ReadOnlyAdmin):
    """Long work."""

    list_display = ("title", "project", "kind", "state", "total", "created_by", "created_at", "finished_at")
    list_select_related = ("project", "created_by")
    list_filter = ("state", "kind")
    search_fields = ("title_code", "project__slug", "reason")


@admin.register(Budget)
class BudgetAdmin(ReadOnlyAdmin):
    """What jobs may spend, hold and have spent."""

    list_display = ("job", "limit", "estimate", "held", "spent")
    list_select_related = ("job",)
    search_fields = ("job__title_code",)


@admin.register(ProjectBudget)
class ProjectBudgetAdmin(ReadOnlyAdmin):
    """What projects may spend on models in all."""

    list_display = ("project", "limit", "set_by", "set_at")
    list_select_related = ("project", "set_by")
    search_fields = ("project__slug",)


@admin.register(Call)
class CallAdmin(ReadOnlyAdmin):
    """Single questions to models."""

    list_display = (
        "id",
        "job",
        "endpoint",
        "state",
        "attempts",
        "tokens_in",
        "tokens_out",
        "cost",
        "finished_at",
    )
    list_select_related = ("job", "endpoint")
    list_filter = ("state",)
    search_fields = ("fingerprint", "reason")


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyAdmin):
    """What repeated submits were answered the first time."""

    list_display = ("key", "operation", "user", "created_at")
    list_select_related = ("user",)
    search_fields = ("operation", "user__name")
