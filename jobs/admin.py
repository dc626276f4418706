"""Read-only admin pages of jobs, calls, endpoints, keys and budgets."""

from __future__ import annotations

from jobs.models import (
    AllowedHost,
    Budget,
    Call,
    Endpoint,
    Job,
    KeyBinding,
    ProjectBudget,
    StoredKey,
)
from web.admin import show_rows

show_rows(
    Endpoint, "name project kind model base_url retired_at", filters="kind", search="name model project__slug"
)
show_rows(
    StoredKey, "id endpoint stored_by stored_at", search="endpoint__name", only="endpoint stored_by stored_at"
)
show_rows(AllowedHost, "host port note allowed_by allowed_at withdrawn_at", search="host note")
show_rows(KeyBinding, "variable host bound_by bound_at withdrawn_at", search="variable host__host")
show_rows(
    Job,
    "title project kind state total created_by created_at finished_at",
    filters="state kind",
    search="title_code project__slug reason",
)
show_rows(Budget, "job limit estimate held spent", search="job__title_code")
show_rows(ProjectBudget, "project limit set_by set_at", search="project__slug")
show_rows(
    Call,
    "id job endpoint state attempts tokens_in tokens_out cost finished_at",
    filters="state",
    search="fingerprint reason",
)
