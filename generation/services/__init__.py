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
    follow_batches,
    order_batch,
    paste_answer,
    prepare_batch,
    publish_batch_end,
    run_call,
    run_claimed,
)
from generation.services.export import record_candidates_exported
from generation.services.prompt import copy_templates, create_template
from generation.services.proverb import (
    LARGEST_RANKING,
    add_pairs,
    ask_for_rankings,
    collect_rankings,
    decide_pair,
    import_ranking,
    propose_items,
)
from generation.services.stem import OptionsOrder, ask_for_options, paste_options, take_option
from generation.services.trial import TrialStarted, posed_item, run_trial, try_item

__all__ = [
    "LARGEST_RANKING",
    "MOST_CALLS",
    "OptionsOrder",
    "TrialStarted",
    "add_pairs",
    "ask_for_options",
    "ask_for_rankings",
    "check_batch",
    "check_slots",
    "collect_rankings",
    "copy_templates",
    "create_template",
    "decide_pair",
    "fail_batch",
    "follow_batches",
    "import_ranking",
    "keep_provenance",
    "order_batch",
    "paste_answer",
    "paste_options",
    "posed_item",
    "prepare_batch",
    "propose_items",
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
