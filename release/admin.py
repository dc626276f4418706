"""Release in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from accounts.browsing import ExportingAdmin, ReadOnlyAdmin
from release.models import Artifact, Release, ReleaseItem
from release.resources import ReleaseItemResource, ReleaseResource


@admin.register(Release)
class ReleaseAdmin(ExportingAdmin):
    """Releases; a seed that guards withheld answers is not shown."""

    resource_classes = (ReleaseResource,)
    list_display = ("version", "project", "state", "created_by", "created_at", "ready_at")
    list_select_related = ("project", "created_by")
    list_filter = ("state",)
    search_fields = ("version", "project__slug")
    exclude = ("seed",)


@admin.register(ReleaseItem)
class ReleaseItemAdmin(ExportingAdmin):
    """Items as they stand in a release, keys included."""

    resource_classes = (ReleaseItemResource,)
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
