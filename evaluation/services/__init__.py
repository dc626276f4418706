"""The only writer of examinees, runs and responses. It writes nothing below but jobs and calls."""

from evaluation.services.answers import keep_response, run_call, run_claimed
from evaluation.services.runs import fail_run, prepare_run, start_runs

__all__ = [
    "fail_run",
    "keep_response",
    "prepare_run",
    "run_call",
    "run_claimed",
    "start_runs",
]
