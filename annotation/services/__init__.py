"""The only writer of items, drafts and everything of their life.

Upper apps use `create_item`, `revise_item`, `apply_verdict` and `record_exposure`; views use the rest.
"""

from annotation.services.assignments import (
    describe_limit,
    give_back_story,
    name_writers,
    name_writers_for,
    take_next_story,
    take_story,
)
from annotation.services.drafts import (
    StaleDraft,
    SubmittedDraft,
    discard_draft,
    restore_draft,
    save_draft,
)
from annotation.services.exposures import record_exposure
from annotation.services.imports import import_items
from annotation.services.imports_by_name import import_items_as
from annotation.services.items import (
    add_comment,
    apply_verdict,
    contest_rejection,
    create_item,
    describe,
    request_another_look,
    retire_item,
    revise_item,
    submit_draft,
    withdraw_item,
)

__all__ = [
    "StaleDraft",
    "SubmittedDraft",
    "add_comment",
    "apply_verdict",
    "contest_rejection",
    "create_item",
    "describe",
    "describe_limit",
    "discard_draft",
    "give_back_story",
    "import_items",
    "import_items_as",
    "name_writers",
    "name_writers_for",
    "record_exposure",
    "request_another_look",
    "restore_draft",
    "retire_item",
    "revise_item",
    "save_draft",
    "submit_draft",
    "take_next_story",
    "take_story",
    "withdraw_item",
]
