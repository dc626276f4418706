"""Services of this app: the only code that writes endpoints, jobs, budgets and calls.

A row represents the job or call, and a Celery task only triggers it: `run_call` may run twice for one call,
by two workers at once, or never. `sweep_orphans` recovers from killed workers and lost messages.
"""

from jobs.services.budget import lock_project_budget, set_project_budget, take_share
from jobs.services.call import Asked, Created, add_calls, close_calls, create_calls, record_pasted_answer
from jobs.services.call_run import run_call, run_claimed
from jobs.services.control import (
    cancel_job,
    fail_job,
    finish_job,
    lock_job,
    pause_job,
    resume_job,
    retry_failed,
    start_job,
)
from jobs.services.drain import calls_out, take_no_more_calls
from jobs.services.endpoint import (
    Tried,
    bring_back_endpoint,
    create_endpoint,
    edit_endpoint,
    retire_endpoint,
    try_endpoint,
)
from jobs.services.fair_queue import next_in_line, stand_in_line
from jobs.services.host import allow_host, bind_key, unbind_key, withdraw_host
from jobs.services.job import forget_old_jobs, order_job, run_job
from jobs.services.key import discard_key, reseal_keys, store_key
from jobs.services.presence import show_presence
from jobs.services.slot import CallResult, Claim
from jobs.services.sweep import sweep_orphans, wake_calls
from jobs.services.time_slice import ask_in_slot

__all__ = [
    "Asked",
    "CallResult",
    "Claim",
    "Created",
    "Tried",
    "add_calls",
    "allow_host",
    "ask_in_slot",
    "bind_key",
    "bring_back_endpoint",
    "calls_out",
    "cancel_job",
    "close_calls",
    "create_calls",
    "create_endpoint",
    "discard_key",
    "edit_endpoint",
    "fail_job",
    "finish_job",
    "forget_old_jobs",
    "lock_job",
    "lock_project_budget",
    "next_in_line",
    "order_job",
    "pause_job",
    "record_pasted_answer",
    "reseal_keys",
    "resume_job",
    "retire_endpoint",
    "retry_failed",
    "run_call",
    "run_claimed",
    "run_job",
    "set_project_budget",
    "show_presence",
    "stand_in_line",
    "start_job",
    "store_key",
    "sweep_orphans",
    "take_no_more_calls",
    "take_share",
    "try_endpoint",
    "unbind_key",
    "wake_calls",
    "withdraw_host",
]
