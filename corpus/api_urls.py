"""Routes of the programming interface of this app, below /api/v1/."""

from django.urls import URLPattern, path

from corpus.api import group, story, upload

STORY = "projects/<slug:slug>/stories/<int:pk>/"
GROUP = "projects/<slug:slug>/story-groups/"
PAIR = "projects/<slug:slug>/similar-pairs/"
IMPORT = "projects/<slug:slug>/story-imports/<str:upload>/"

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/stories/", story.stories, name="api_stories"),
    path(STORY, story.story, name="api_story"),
    path(f"{STORY}rights/", story.rights, name="api_story_rights"),
    path(f"{STORY}revisions/", story.revisions, name="api_story_revisions"),
    path(GROUP, group.groups, name="api_story_groups"),
    path(f"{GROUP}<int:pk>/", group.group, name="api_story_group"),
    path(f"{GROUP}<int:pk>/split/", group.split, name="api_story_group_split"),
    path(PAIR, group.pairs, name="api_similar_pairs"),
    path(f"{PAIR}search/", group.search, name="api_similar_pairs_search"),
    path(f"{PAIR}reject/", group.reject, name="api_similar_pairs_reject"),
    path(f"{PAIR}<int:pk>/reopen/", group.reopen, name="api_similar_pair_reopen"),
    path("projects/<slug:slug>/story-imports/", upload.story_imports, name="api_story_imports"),
    path(IMPORT, upload.endpoints.upload, name=upload.ADDRESS),
    path(f"{IMPORT}columns/", upload.endpoints.columns, name="api_story_import_columns"),
    path(f"{IMPORT}confirm/", upload.endpoints.confirm, name="api_story_import_confirm"),
    path(f"{IMPORT}retry/", upload.endpoints.retry, name="api_story_import_retry"),
]
