"""Export of memberships and commonsense types from the admin."""

from __future__ import annotations

from projects.models import CommonsenseType, Membership
from web.tables import ExportResource, Rows, column, moment


class MembershipResource(ExportResource):
    """Export of memberships: one row for each role of each member."""

    project = column("project__slug")
    username = column("user__username")
    name = column("user__name")
    role = column("role")
    since = moment("created_at")

    class Meta:
        model = Membership
        fields = ("project", "username", "name", "role", "since")
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all memberships, in the order in which members joined."""
        return Membership.objects.select_related("project", "user").order_by("pk")


class CommonsenseTypeResource(ExportResource):
    """Export of the commonsense types of projects."""

    project = column("project__slug")
    code = column("code")
    name_zh = column("name_zh")
    name_en = column("name_en")
    retired = moment("retired_at")

    class Meta:
        model = CommonsenseType
        fields = ("project", "code", "name_zh", "name_en", "retired")
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all commonsense types, by project and in the project's order."""
        return CommonsenseType.objects.select_related("project").order_by("project", "pk")
