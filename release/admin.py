"""Releases in the admin: read-only."""

from __future__ import annotations

from annotation.admin_exposure import keys_at
from release.models import (
    Artifact,
    Comparison,
    DraftExclusion,
    DraftFinding,
    DraftOverride,
    Erratum,
    ErrorReport,
    GateCheck,
    GateSlice,
    Push,
    Release,
    ReleaseDraft,
    ReleaseItem,
    Team,
    Upload,
)
from release.resources import ReleaseItemResource, ReleaseResource
from web.admin import follow_rows, show_rows

follow_rows(ReleaseItem, keys_at("item"), exported=True)

show_rows(
    Release,
    "version project state created_by created_at ready_at",
    filters="state",
    search="version project__slug",
    hidden="seed",
    tables=(ReleaseResource,),
)
show_rows(
    ReleaseItem,
    "public_id release item revision split number",
    joins="release__project",
    filters="split",
    search="public_id release__version",
    tables=(ReleaseItemResource,),
)
show_rows(Artifact, "name release sha256 bytes rows", joins="release__project", search="name sha256")
show_rows(
    ErrorReport,
    "item_id_given released fault created_at answered_at erratum",
    filters="fault",
    search="item_id_given text",
    hidden="token_hash",
)
show_rows(Erratum, "released remedy created_by created_at", filters="remedy")
show_rows(
    Team,
    "name release per_week created_by created_at revoked_at",
    joins="release__project",
    search="name",
    hidden="token_hash",
)
show_rows(
    Upload,
    "examinee team state repeats created_at finished_at",
    filters="state",
    search="examinee team__name",
)
show_rows(
    Push,
    "release hub repo is_public state created_by created_at finished_at",
    joins="release__project",
    filters="state",
    search="repo",
    hidden="sealed",
)
show_rows(GateCheck, "project checked_at", search="project__slug")
show_rows(GateSlice, "project number of first last", search="project__slug", hidden="folder states seen")
show_rows(Comparison, "before after made_at", joins="before__project after__project")
show_rows(
    ReleaseDraft,
    "version project created_by created_at checked_at release",
    joins="release__project",
    search="version project__slug",
    hidden="seed secret_seed",
)
show_rows(DraftFinding, "gate task draft is_settled", filters="gate")
show_rows(DraftExclusion, "item draft gate excluded_by excluded_at", filters="gate")
show_rows(DraftOverride, "gate draft reason overridden_by overridden_at", filters="gate")
