"""Saved views and bulk actions in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from dashboard.models import BulkAction, SavedView
from web.admin import ReadOnlyAdmin


@admin.register(SavedView)
class SavedViewAdmin(ReadOnlyAdmin):
    """Who saved which view of a list."""

    list_display = ("name", "project", "owner", "listing", "shared", "created_at")
    list_select_related = ("project", "owner")


@admin.register(BulkAction)
class BulkActionAdmin(ReadOnlyAdmin):
    """What was done to many rows of a list at once."""

    list_display = ("id", "project", "actor", "listing", "verb", "position", "created_at", "finished_at")
    list_select_related = ("project", "actor")
