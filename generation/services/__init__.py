"""The only writer of prompt templates, batches, candidates and adoptions."""

from generation.services.adoption import (
    keep_provenance,
    save_machine_draft,
    submit_machine_draft,
    submit_machine_item,
    tell_of_slots,
)
from generation.services.batch import Started, paste_answer, run_call, run_claimed, start_batch
from generation.services.prompt import copy_templates, create_template
from generation.services.stem import OptionsAsked, ask_for_options, paste_options, take_option
from generation.services.trial import TrialStarted, posed_item, run_trial, try_item

__all__ = [
    "OptionsAsked",
    "Started",
    "TrialStarted",
    "ask_for_options",
    "copy_templates",
    "create_template",
    "keep_provenance",
    "paste_answer",
    "paste_options",
    "posed_item",
    "run_call",
    "run_claimed",
    "run_trial",
    "save_machine_draft",
    "start_batch",
    "submit_machine_draft",
    "submit_machine_item",
    "take_option",
    "tell_of_slots",
    "try_item",
]
