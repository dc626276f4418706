"""Services of items, drafts and assignments. No other code writes the tables of this app.

Higher apps use `create_item`, `revise_item`, `apply_verdict` and `record_exposure`; views use the others.
"""

from annotation.services.assignment import (
    describe_limit,
    give_back_story,
    hold_back_stories,
    name_writers,
    name_writers_for,
    restore_assignment,
    take_back_story,
    take_next_story,
    take_story,
)
from annotation.services.check import (
    begin_again,
    check_name,
    describe,
    judge_content,
    judge_draft,
    message_of,
)
from annotation.services.comment import add_comment, contest_edit, contest_rejection
from annotation.services.draft import (
    StaleDraft,
    SubmittedDraft,
    discard_draft,
    empty_bin,
    restore_draft,
    save_draft,
)
from annotation.services.exposure import (
    record_exposure,
    record_key_exposure,
    record_key_exposures,
    record_moral_exposures,
    record_table_taken_out,
)
from annotation.services.handover import (
    HandedBack,
    assign_item,
    hand_back,
    hand_over_work,
    take_over_item,
    undo_assignment,
)
from annotation.services.item import (
    create_item,
    request_another_look,
    restore_item,
    retire_item,
    return_item,
    revise_item,
    submit_draft,
    withdraw_item,
)
from annotation.services.pilot import end_pilot, look_again_at_older_items, note_on_pilot, start_pilot
from annotation.services.plan import copy_targets, set_type_targets
from annotation.services.reservation import end_reservation, reserve_story
from annotation.services.search import index_words
from annotation.services.transition import apply_verdict
from annotation.services.upload import import_items, import_items_as, import_stories_and_items, item_ref

__all__ = [
    "HandedBack",
    "StaleDraft",
    "SubmittedDraft",
    "add_comment",
    "apply_verdict",
    "assign_item",
    "begin_again",
    "check_name",
    "contest_edit",
    "contest_rejection",
    "copy_targets",
    "create_item",
    "describe",
    "describe_limit",
    "discard_draft",
    "empty_bin",
    "end_pilot",
    "end_reservation",
    "give_back_story",
    "hand_back",
    "hand_over_work",
    "hold_back_stories",
    "import_items",
    "import_items_as",
    "import_stories_and_items",
    "index_words",
    "item_ref",
    "judge_content",
    "judge_draft",
    "look_again_at_older_items",
    "message_of",
    "name_writers",
    "name_writers_for",
    "note_on_pilot",
    "record_exposure",
    "record_key_exposure",
    "record_key_exposures",
    "record_moral_exposures",
    "record_table_taken_out",
    "request_another_look",
    "reserve_story",
    "restore_assignment",
    "restore_draft",
    "restore_item",
    "retire_item",
    "return_item",
    "revise_item",
    "save_draft",
    "set_type_targets",
    "start_pilot",
    "submit_draft",
    "take_back_story",
    "take_next_story",
    "take_over_item",
    "take_story",
    "undo_assignment",
    "withdraw_item",
]
