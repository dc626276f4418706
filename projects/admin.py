"""Projects in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from accounts.browsing import ReadOnlyAdmin
from projects.models import (
    CommonsenseType,
    Guideline,
    GuidelineAcknowledgement,
    Invitation,
    Membership,
    Project,
)


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    """Projects and their settings."""

    list_display = ("name", "slug", "language", "created_by", "created_at")
    list_select_related = ("created_by",)
    search_fields = ("name", "slug")


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Who does what where."""

    list_display = ("user", "role", "project", "created_at")
    list_select_related = ("user", "project")
    list_filter = ("role",)
    search_fields = ("user__name", "user__username", "project__slug")


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Links by which people join; the link itself is known to nobody."""

    list_display = ("name", "project", "roles", "expires_at", "created_by", "accepted_by", "revoked_at")
    list_select_related = ("project", "created_by", "accepted_by")
    search_fields = ("name", "project__slug")
    exclude = ("token_hash",)


@admin.register(Guideline)
class GuidelineAdmin(ReadOnlyAdmin):
    """Published versions of guidelines."""

    list_display = ("project", "number", "author", "published_at")
    list_select_related = ("project", "author")
    search_fields = ("project__slug",)


@admin.register(GuidelineAcknowledgement)
class GuidelineAcknowledgementAdmin(ReadOnlyAdmin):
    """Who has read which version."""

    list_display = ("guideline", "user", "at")
    list_select_related = ("guideline__project", "user")
    search_fields = ("user__name", "guideline__project__slug")


@admin.register(CommonsenseType)
class CommonsenseTypeAdmin(ReadOnlyAdmin):
    """Commonsense types of the projects."""

    list_display = ("code", "name_zh", "name_en", "project", "retired_at")
    list_select_related = ("project",)
    search_fields = ("code", "name_zh", "name_en", "project__slug")
