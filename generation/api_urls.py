"""Routes of the programming interface of `generation`, under /api/v1/."""

from django.urls import URLPattern, path

from generation.api import batch, candidate, prompt, slots

_PROJECT = "projects/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path(f"{_PROJECT}/stories/<int:pk>/slots/", slots.slots, name="api_slots"),
    path(
        f"{_PROJECT}/stories/<int:pk>/slots/<uuid:client_id>/submit/", slots.submit, name="api_slots_submit"
    ),
    path(f"{_PROJECT}/stories/<int:pk>/candidates/", candidate.paste, name="api_story_candidates"),
    path(f"{_PROJECT}/prompts/", prompt.prompts, name="api_prompts"),
    path(f"{_PROJECT}/prompts/<int:pk>/", prompt.prompt, name="api_prompt"),
    path(f"{_PROJECT}/batches/", batch.batches, name="api_batches"),
    path(f"{_PROJECT}/batches/estimate/", batch.estimated, name="api_batch_estimate"),
    path(f"{_PROJECT}/batches/<int:pk>/", batch.batch, name="api_batch"),
    path(f"{_PROJECT}/candidates/", candidate.candidates, name="api_candidates"),
]
