"""Services of this app: the only code that writes examinees, runs and responses.

Of the apps below, these services write jobs and calls only.
"""

from evaluation.services.calibration import order_calibration, run_calibration
from evaluation.services.panel import (
    answer_place,
    cached_panel_links,
    invite_to_panel,
    keep_panel_links,
    next_place,
    open_panel,
    unanswered,
    withdraw_seat,
)
from evaluation.services.partial_input import compare_partial_run, order_partial_comparison
from evaluation.services.publication import publish, set_publication
from evaluation.services.replication import LARGEST_FIGURES, keep_figures, keep_paper
from evaluation.services.response import keep_response, run_call, run_claimed
from evaluation.services.result import count_results, order_results
from evaluation.services.run import fail_run, prepare_run, problems_of, start_runs
from evaluation.services.upload import (
    LARGEST_UPLOAD,
    fail_file,
    order_import,
    order_team_import,
    read_file,
    retry_file,
)

__all__ = [
    "LARGEST_FIGURES",
    "LARGEST_UPLOAD",
    "answer_place",
    "cached_panel_links",
    "compare_partial_run",
    "count_results",
    "fail_file",
    "fail_run",
    "invite_to_panel",
    "keep_figures",
    "keep_panel_links",
    "keep_paper",
    "keep_response",
    "next_place",
    "open_panel",
    "order_calibration",
    "order_import",
    "order_partial_comparison",
    "order_results",
    "order_team_import",
    "prepare_run",
    "problems_of",
    "publish",
    "read_file",
    "retry_file",
    "run_calibration",
    "run_call",
    "run_claimed",
    "set_publication",
    "start_runs",
    "unanswered",
    "withdraw_seat",
]
