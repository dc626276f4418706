"""Read-only admin pages of stories, their revisions, groups and uploads."""

from __future__ import annotations

from corpus.models import SavedMapping, SimilarPair, Story, StoryGroup, StoryRevision, Upload
from corpus.resources import StoryResource
from web.admin import show_rows

show_rows(
    Story,
    "ref current project language rights created_at",
    filters="language",
    search="ref current__title project__slug",
    tables=(StoryResource,),
)
show_rows(
    StoryRevision,
    "title number moral_origin author created_at",
    filters="moral_origin",
    search="title story__ref",
)
show_rows(
    SimilarPair, "first second similarity same_title rejected_by", joins="first__current second__current"
)
show_rows(SavedMapping, "name project purpose created_by created_at", filters="purpose")
show_rows(StoryGroup, "__str__ project confirmed_by confirmed_at")
show_rows(
    Upload, "__str__ project created_by purpose state created_at", filters="state purpose", hidden="token"
)
