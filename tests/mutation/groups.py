"""Which files are mutated, and which tests know their rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

BASE: Final = Path(__file__).resolve().parents[2]

RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "review/consensus.py": ("tests/review/test_consensus.py",),
    "annotation/lifecycle.py": ("tests/annotation/test_lifecycle.py",),
    "release/assembly/positions.py": ("tests/release/test_balancing.py",),
    "release/assembly/apportionment.py": (
        "tests/release/test_apportionment.py",
        "tests/release/test_three_splits.py",
    ),
    "release/assembly/extension.py": ("tests/release/test_balancing.py",),
    "release/assembly/draws.py": (
        "tests/release/test_assembly.py::test_it_draws_the_same_on_every_machine",
        "tests/release/test_assembly.py::test_it_draws_every_number_equally_often",
        "tests/release/test_balancing.py",
    ),
    "parable/kinds/commonsense.py": ("tests/parable/test_kinds.py",),
    "parable/kinds/moral.py": ("tests/parable/test_kinds.py",),
    "parable/quality/gates/decision_rule.py": ("tests/parable/test_decision_rule.py",),
    "parable/psychometrics/results/accuracy.py": (
        "tests/parable/test_score_weights.py",
        "tests/parable/test_results_figures.py",
    ),
}
"""Pure modules, mutated whole. Their tests need no database; no mutant survives without a stated reason."""

REVIEW: Final = (
    "tests/review/test_answers.py",
    "tests/review/test_pass_mark.py",
    "tests/review/test_lease.py",
    "tests/review/test_claim.py",
    "tests/review/test_verification.py",
    "tests/review/test_the_law.py",
    "tests/review/test_urgency.py",
    "tests/review/test_overlap.py",
    "tests/review/test_roundabout.py",
    "tests/review/test_adding.py",
    "tests/review/test_words.py",
)
PRACTICE: Final = ("tests/review/test_practice_items.py", "tests/review/test_practice_mixed_in.py")
BUILDING: Final = (
    "tests/release/test_building.py",
    "tests/release/test_extending.py",
    "tests/release/test_choosing.py",
    "tests/release/test_failures.py",
    "tests/release/test_same_bytes.py",
)
ITEM_IMPORTS: Final = ("tests/annotation/test_import_outcomes.py", "tests/annotation/test_import_items.py")
STORY_IMPORTS: Final = ("tests/corpus/test_import_stories.py", "tests/corpus/test_pages.py")

SERVICES: Final[Mapping[str, tuple[str, ...]]] = {
    "review/services/answer.py": REVIEW,
    "review/services/claim.py": REVIEW,
    "review/sql.py": REVIEW,
    "review/services/substitute.py": ("tests/review/test_substitutes.py",),
    "review/services/lease.py": REVIEW,
    "review/services/practice.py": ("tests/review/test_lease.py", *PRACTICE),
    "review/services/request.py": (
        *REVIEW,
        "tests/review/test_urgency.py",
        "tests/dashboard/test_hand_over.py",
        "tests/projects/test_members.py",
    ),
    "review/services/sibling.py": (
        "tests/review/test_together.py",
        "tests/review/test_together_at_once.py",
        "tests/review/test_claim.py",
        "tests/review/test_lease.py",
    ),
    "review/services/statistics.py": ("tests/review/test_statistics.py",),
    "review/services/verdict.py": (*REVIEW, *PRACTICE),
    "release/services/build.py": BUILDING,
    "release/services/comparison.py": ("tests/release/test_comparing.py",),
    "release/services/draft.py": ("tests/release/test_draft.py", "tests/release/test_recipe.py"),
    "release/services/draft_check.py": ("tests/release/test_draft.py",),
    "release/services/gate.py": ("tests/release/test_gate_checks.py",),
    "release/services/release.py": ("tests/release/test_pages.py",),
    "release/services/order.py": (*BUILDING, "tests/release/test_recipe.py", "tests/release/test_pages.py"),
    "release/services/rebuild.py": ("tests/release/test_same_bytes.py", "tests/release/test_building.py"),
    "release/services/recipe.py": ("tests/release/test_recipe.py", "tests/release/test_draft.py"),
    "release/services/report.py": ("tests/release/test_reports.py",),
    "release/services/storage.py": ("tests/release/test_building.py", "tests/release/test_files.py"),
    "release/services/stream.py": ("tests/release/test_streaming.py",),
    "release/services/team.py": ("tests/release/test_teams.py",),
    "annotation/services/upload.py": ITEM_IMPORTS,
    "corpus/services/story.py": (*STORY_IMPORTS, "tests/corpus/test_languages.py"),
    "corpus/services/group.py": ("tests/corpus/test_groups.py", "tests/corpus/test_similar.py"),
    "corpus/services/upload.py": STORY_IMPORTS,
    "corpus/services/file.py": (*STORY_IMPORTS, "tests/annotation/test_import_pages.py"),
}
"""Services, of whose mutants a seeded sample is judged by tests on a database."""
