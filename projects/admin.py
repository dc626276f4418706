"""Read-only admin pages of projects, members, invitations, guidelines and commonsense types."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from projects.models import (
    AccessToken,
    CommonsenseType,
    Guideline,
    GuidelineAcknowledgement,
    Invitation,
    Membership,
    Project,
)
from projects.resources import CommonsenseTypeResource, MembershipResource
from web.admin import ReadOnlyAdmin, show_rows


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    """Read-only admin page of projects, with links to the pages on which they can be changed."""

    list_display = ("name", "slug", "language", "created_by", "created_at")
    list_select_related = ("created_by",)
    search_fields = ("name", "slug")
    actions = ("import_stories", "build_release", "take_tables")

    @admin.action(description=gettext_lazy("Import stories with a preview"))
    def import_stories(self, request: HttpRequest, queryset: QuerySet[Project]) -> HttpResponse | None:
        """Redirect to the page that imports stories into the selected project."""
        return _lead(request, queryset, "corpus:import_stories")

    @admin.action(description=gettext_lazy("Create release"))
    def build_release(self, request: HttpRequest, queryset: QuerySet[Project]) -> HttpResponse | None:
        """Redirect to the form for a new release of the selected project."""
        return _lead(request, queryset, "release:build")

    @admin.action(description=gettext_lazy("Export data"))
    def take_tables(self, request: HttpRequest, queryset: QuerySet[Project]) -> HttpResponse | None:
        """Redirect to the page of data exports of the selected project."""
        return _lead(request, queryset, "dashboard:exports")


def _lead(request: HttpRequest, chosen: QuerySet[Project], page: str) -> HttpResponse | None:
    projects = list(chosen[:2])
    if len(projects) != 1:
        messages.warning(request, _("Select one project."))
        return None
    return redirect(page, projects[0].slug)


show_rows(
    Membership,
    "user role project created_at",
    filters="role",
    search="user__name user__username project__slug",
    tables=(MembershipResource,),
)
show_rows(
    Invitation,
    "name project roles expires_at created_by accepted_by revoked_at",
    search="name project__slug",
    hidden="token_hash",
)
show_rows(
    AccessToken,
    "name user scopes project created_at expires_at revoked_at used_at used_from",
    search="name user__name user__username",
    hidden="token_hash",
)
show_rows(Guideline, "project number author published_at", search="project__slug")
show_rows(
    GuidelineAcknowledgement,
    "guideline user at",
    joins="guideline__project",
    search="user__name guideline__project__slug",
)
show_rows(
    CommonsenseType,
    "code name_zh name_en project retired_at",
    search="code name_zh name_en project__slug",
    tables=(CommonsenseTypeResource,),
)
