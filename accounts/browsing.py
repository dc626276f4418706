"""How rows are looked at in the admin: by administrators, and read only, as services are the only writers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Model]  # generic for the type checker only
else:
    _ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(_ModelAdmin):
    """Lists rows and shows them, and changes none."""

    list_per_page = 50
    show_full_result_count = False
    actions = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Administrators only."""
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Administrators only."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: what is made here would leave no trace."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: what is changed here would leave no trace."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: nothing but drafts is ever deleted."""
        return False
