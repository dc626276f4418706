"""The only writer of releases.

The browser orders a release and a worker finishes it; the command does both in one go.
"""

from release.services.build import fail_release, finish_release
from release.services.gate import (
    order_gate_check,
    order_nightly_checks,
    run_gate_check,
)
from release.services.order import order_release, read_recipe
from release.services.rebuild import Built, build_release, rebuild_release
from release.services.release import (
    EVERYTHING,
    WITHHELD_ANSWERS,
    record_download,
    record_released_keys_shown,
    withdraw_release,
)
from release.services.report import answer_report, issue_erratum, report_error
from release.services.stream import stream_items
from release.services.team import (
    Invited,
    close_upload,
    invite_team,
    limit_uploads,
    revoke_team,
    score_upload,
    upload_responses,
)

__all__ = [
    "EVERYTHING",
    "WITHHELD_ANSWERS",
    "Built",
    "Invited",
    "answer_report",
    "build_release",
    "close_upload",
    "fail_release",
    "finish_release",
    "invite_team",
    "issue_erratum",
    "limit_uploads",
    "order_gate_check",
    "order_nightly_checks",
    "order_release",
    "read_recipe",
    "rebuild_release",
    "record_download",
    "record_released_keys_shown",
    "report_error",
    "revoke_team",
    "run_gate_check",
    "score_upload",
    "stream_items",
    "upload_responses",
    "withdraw_release",
]
