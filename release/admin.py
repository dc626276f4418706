"""Release in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from accounts.browsing import ReadOnlyAdmin
from release.models import Artifact, Release, ReleaseItem


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    """Releases; a seed that guards withheld answers is not shown."""

    list_display = ("version", "project", "state", "created_by", "created_at", "ready_at")
    list_select_related = ("project", "created_by")
    list_filter = ("state",)
    search_fields = ("version", "project__slug")
    exclude = ("seed",)


@admin.register(ReleaseItem)
class ReleaseItemAdmin(ReadOnlyAdmin):
    """Items as they stand in a release, keys included."""

    list_display = ("public_id", "release", "item", "revision", "split", "number")
    list_select_related = ("release", "item", "revision")
    list_filter = ("split",)
    search_fields = ("public_id", "release__version")


@admin.register(Artifact)
class ArtifactAdmin(ReadOnlyAdmin):
    """Files of releases."""

    list_display = ("name", "release", "sha256", "bytes", "rows")
    list_select_related = ("release",)
    search_fields = ("name", "sha256")
