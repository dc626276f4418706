"""The admin of the app `generation`, read-only."""

from __future__ import annotations

from annotation.admin_exposure import keys_at, morals_at
from generation.models import Adoption, Batch, Candidate, PromptTemplate, StemQuestion, Trial
from jobs.models import Call
from web.admin import follow_rows, show_rows

follow_rows(Candidate, morals_at("story"), listed=True)
follow_rows(Adoption, keys_at("option__revision__item"), listed=True)
follow_rows(StemQuestion, keys_at("revision__item"))
follow_rows(Trial, keys_at("revision__item"))
# the prompt of a call may include the moral of its story
follow_rows(Call, morals_at("candidates__story"))

show_rows(
    PromptTemplate,
    "name version purpose project author created_at",
    filters="purpose",
    search="name project__slug",
)
show_rows(Batch, "id project job created_at", search="project__slug job__title_code")
show_rows(
    Candidate,
    "text story generator template created_at",
    joins="story__current",
    search="text generator project__slug",
)
show_rows(Adoption, "original_text option adopted_by at", search="original_text adopted_by__name")
show_rows(StemQuestion, "stem endpoint template asked_by at", search="stem endpoint__name asked_by__name")
show_rows(
    Trial,
    "endpoint story_revision asked_by outcome is_correct at",
    filters="outcome",
    search="endpoint__name asked_by__name",
)
