"""Services of prompt templates, batches, candidates and adoptions. No other code writes these tables."""

from generation.services.adoption import (
    check_slots,
    keep_provenance,
    save_machine_draft,
    submit_machine_draft,
    submit_machine_item,
)
from generation.services.batch import (
    MOST_CALLS,
    check_batch,
    fail_batch,
    order_batch,
    paste_answer,
    prepare_batch,
    publish_batch_end,
    run_call,
    run_claimed,
)
from generation.services.export import record_candidates_exported
from generation.services.prompt import copy_templates, create_template
from generation.services.stem import OptionsOrder, ask_for_options, paste_options, take_option
from generation.services.trial import TrialStarted, posed_item, run_trial, try_item

__all__ = [
    "MOST_CALLS",
    "OptionsOrder",
    "TrialStarted",
    "ask_for_options",
    "check_batch",
    "check_slots",
    "copy_templates",
    "create_template",
    "fail_batch",
    "keep_provenance",
    "order_batch",
    "paste_answer",
    "paste_options",
    "posed_item",
    "prepare_batch",
    "publish_batch_end",
    "record_candidates_exported",
    "run_call",
    "run_claimed",
    "run_trial",
    "save_machine_draft",
    "submit_machine_draft",
    "submit_machine_item",
    "take_option",
    "try_item",
]
