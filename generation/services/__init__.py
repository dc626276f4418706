"""The only writer of prompt templates, batches, candidates and adoptions."""

from generation.services.adopting import (
    save_machine_draft,
    submit_machine_draft,
    submit_machine_item,
    tell_of_slots,
)
from generation.services.batches import Started, paste_answer, run_call, start_batch
from generation.services.templates import create_template

__all__ = [
    "Started",
    "create_template",
    "paste_answer",
    "run_call",
    "save_machine_draft",
    "start_batch",
    "submit_machine_draft",
    "submit_machine_item",
    "tell_of_slots",
]
