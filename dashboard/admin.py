"""The admin of saved views and bulk actions, read-only."""

from __future__ import annotations

from dashboard.models import BulkAction, SavedView
from web.admin import show_rows

show_rows(SavedView, "name project owner listing shared created_at")
show_rows(BulkAction, "id project actor listing verb position created_at finished_at")
