"""Services of releases: the only code that writes to the tables of this app.

The site orders a release and a worker builds it; the command does both at once.
"""

from release.services.build import fail_release, finish_release
from release.services.comparison import make_comparison, order_comparison
from release.services.draft import (
    LONGEST_REASON,
    build_draft,
    create_draft,
    discard_draft,
    exclude_items,
    find_problems,
    include_items,
    order_draft_check,
    override_gate,
    remove_override,
    restore_draft,
    return_items,
    save_form_data,
)
from release.services.draft_check import check_draft
from release.services.gate import (
    order_gate_check,
    order_nightly_checks,
    run_gate_check,
)
from release.services.gate_slices import check_gate_slice
from release.services.order import order_release
from release.services.push import close_push, order_push, send_push
from release.services.rebuild import (
    Built,
    build_release,
    check_rebuild,
    order_rebuild_check,
    rebuild_release,
)
from release.services.recipe import read_recipe, with_inherited
from release.services.release import (
    EVERYTHING,
    FINE_TUNING,
    WITHHELD_ANSWERS,
    publish_release,
    record_download,
    record_file_exposure,
    record_released_key_exposures,
    withdraw_release,
)
from release.services.report import LONGEST_REPORT, REPORT_LIMITS, answer_report, issue_erratum, report_error
from release.services.stream import canary_of, stream_converted, stream_items, stream_training_kit
from release.services.team import (
    SCORE_LIMITS,
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
    "FINE_TUNING",
    "LONGEST_REASON",
    "LONGEST_REPORT",
    "REPORT_LIMITS",
    "SCORE_LIMITS",
    "WITHHELD_ANSWERS",
    "Built",
    "Invited",
    "answer_report",
    "build_draft",
    "build_release",
    "canary_of",
    "check_draft",
    "check_gate_slice",
    "check_rebuild",
    "close_push",
    "close_upload",
    "create_draft",
    "discard_draft",
    "exclude_items",
    "fail_release",
    "find_problems",
    "finish_release",
    "include_items",
    "invite_team",
    "issue_erratum",
    "limit_uploads",
    "make_comparison",
    "order_comparison",
    "order_draft_check",
    "order_gate_check",
    "order_nightly_checks",
    "order_push",
    "order_rebuild_check",
    "order_release",
    "override_gate",
    "publish_release",
    "read_recipe",
    "rebuild_release",
    "record_download",
    "record_file_exposure",
    "record_released_key_exposures",
    "remove_override",
    "report_error",
    "restore_draft",
    "return_items",
    "revoke_team",
    "run_gate_check",
    "save_form_data",
    "score_upload",
    "send_push",
    "stream_converted",
    "stream_items",
    "stream_training_kit",
    "upload_responses",
    "with_inherited",
    "withdraw_release",
]
