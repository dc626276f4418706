"""Release in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from annotation.exposure import keys_at
from release.models import (
    Artifact,
    Comparison,
    DraftExclusion,
    DraftFinding,
    DraftOverride,
    Erratum,
    ErrorReport,
    GateCheck,
    Release,
    ReleaseDraft,
    ReleaseItem,
    Team,
    Upload,
)
from release.resources import ReleaseItemResource, ReleaseResource
from web.admin import ExportingAdmin, ReadOnlyAdmin, follow_rows

follow_rows(ReleaseItem, keys_at("item"), exported=True)


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
    list_select_related = ("release__project", "item", "revision")
    list_filter = ("split",)
    search_fields = ("public_id", "release__version")


@admin.register(Artifact)
class ArtifactAdmin(ReadOnlyAdmin):
    """Files of releases."""

    list_display = ("name", "release", "sha256", "bytes", "rows")
    list_select_related = ("release__project",)
    search_fields = ("name", "sha256")


@admin.register(ErrorReport)
class ErrorReportAdmin(ReadOnlyAdmin):
    """Errors that were reported, those too that name no item of ours."""

    list_display = ("item_id_given", "released", "fault", "created_at", "answered_at", "erratum")
    list_select_related = ("released", "erratum")
    list_filter = ("fault",)
    search_fields = ("item_id_given", "text")
    exclude = ("token_hash",)


@admin.register(Erratum)
class ErratumAdmin(ReadOnlyAdmin):
    """Faults that were owned to."""

    list_display = ("released", "remedy", "created_by", "created_at")
    list_select_related = ("released", "created_by")
    list_filter = ("remedy",)


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    """Teams that have responses scored."""

    list_display = ("name", "release", "per_week", "created_by", "created_at", "revoked_at")
    list_select_related = ("release__project", "created_by")
    search_fields = ("name",)
    exclude = ("token_hash",)


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    """What teams have uploaded, and their results."""

    list_display = ("examinee", "team", "state", "repeats", "created_at", "finished_at")
    list_select_related = ("team",)
    list_filter = ("state",)
    search_fields = ("examinee", "team__name")


@admin.register(GateCheck)
class GateCheckAdmin(ReadOnlyAdmin):
    """What the gates say of items that are not released yet."""

    list_display = ("project", "checked_at")
    list_select_related = ("project",)
    search_fields = ("project__slug",)


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    """What differs between two releases."""

    list_display = ("before", "after", "made_at")
    list_select_related = ("before__project", "after__project")


@admin.register(ReleaseDraft)
class ReleaseDraftAdmin(ReadOnlyAdmin):
    """Releases that are being prepared; a seed that will guard withheld answers is not shown."""

    list_display = ("version", "project", "created_by", "created_at", "checked_at", "release")
    list_select_related = ("project", "created_by", "release__project")
    search_fields = ("version", "project__slug")
    exclude = ("seed", "secret_seed")


@admin.register(DraftFinding)
class DraftFindingAdmin(ReadOnlyAdmin):
    """What gates say of drafts."""

    list_display = ("gate", "task", "draft", "is_settled")
    list_select_related = ("draft",)
    list_filter = ("gate",)


@admin.register(DraftExclusion)
class DraftExclusionAdmin(ReadOnlyAdmin):
    """Items that drafts leave out."""

    list_display = ("item", "draft", "gate", "excluded_by", "excluded_at")
    list_select_related = ("draft", "item", "excluded_by")
    list_filter = ("gate",)


@admin.register(DraftOverride)
class DraftOverrideAdmin(ReadOnlyAdmin):
    """Gates that stop no build, and why."""

    list_display = ("gate", "draft", "reason", "overridden_by", "overridden_at")
    list_select_related = ("draft", "overridden_by")
    list_filter = ("gate",)
