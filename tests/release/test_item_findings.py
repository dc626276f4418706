"""What a check finds in each item: what is stored, until when it is open, and when a check runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from django.db.models import Count
from pytest_django import Settings

from annotation.models import Item
from annotation.services import revise_item
from jobs.job_types import JobEnd, notify_followers
from jobs.models import Job
from parable.formats.records import ItemRecord
from parable.quality.finding import Finding
from parable.quality.gates import GATES
from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS
from projects.models import Project
from release.check_tally import check_tally, finding_name
from release.models import GateCheck, ItemFinding
from release.queries.finding import findings_of, with_findings
from release.queries.gate import GATE_CHECK, what_stands
from release.services import run_gate_check
from release.services.finding import save_check
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, submit_item, wording
from tests.release.made import bring, built, record, records
from tests.release.test_gate_checks import checked, in_slices, plain, telling, written

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


def faulty(number: int) -> ItemRecord:
    """An item with a placeholder and an unfinished stem."""
    made = record(number, 0)
    return replace(made, question="Why did", choices=("a reason", "xxx", "another reason", "a third reason"))


def stored(project: Project) -> Counter[tuple[str, str]]:
    rows = ItemFinding.objects.filter(project=project)
    return Counter(rows.values_list("code", "severity"))


def test_checks_and_gates_have_different_ids() -> None:
    """A finding has one code; for each there is a name."""
    assert not GATES.keys() & {*CHECKS, *KIND_CHECKS}
    assert max(map(len, [*GATES, *CHECKS, *KIND_CHECKS])) <= 40
    assert finding_name("longest_key") == CHECKS["longest_key"].name
    assert finding_name("length_artefact") == GATES["length_artefact"].name
    assert finding_name("no longer there") == "no longer there"


def test_a_check_stores_each_finding_that_it_counts(cast: Cast) -> None:
    written(cast, "Ann", [faulty(1), faulty(2), *plain(8, 10)])
    tally = check_tally(checked(cast))
    rows = ItemFinding.objects.filter(project=cast.project).exclude(code__in=GATES)
    named = rows.values("item", "code").distinct().count()
    assert tally.findings == named > 3
    by_check = {
        finding_name(row["code"]): row["n"]
        for row in rows.order_by().values("code").annotate(n=Count("item", distinct=True))
    }
    assert dict(tally.checks) == by_check
    assert {one.revision_id for one in rows} <= {item.current_id for item in Item.objects.all()}
    assert rows.filter(code="placeholder_option", severity="error").count() == 2
    before = rows.count()
    run_gate_check(project_id=cast.project.pk)
    assert rows.count() == before, "replaced, not added"


def test_a_gate_that_fails_names_its_items_and_one_of_stories_none(cast: Cast) -> None:
    written(cast, "Ann", telling(100))
    checked(cast)
    found = stored(cast.project)
    assert found["length_artefact", "error"] == 50
    one = ItemFinding.objects.filter(code="length_artefact").first()
    assert one is not None
    assert (one.task, one.params["figure"]) == ("commonsense", 1.0)
    assert 0.25 < one.params["threshold"] < 1
    verdicts = {
        answer["id"]: answer["verdict"] for answer in GateCheck.objects.get().findings["parts"][0]["answers"]
    }
    assert verdicts["rights"] == "error"
    assert not {code for code, _severity in found} & {"rights", "faulty_items"}


@pytest.mark.parametrize(
    ("severity", "code", "hits"),
    [
        ("any", "", [0, 1]),
        ("error", "", [0]),
        ("warning", "", [0, 1]),
        ("any", "longest_key", [0, 1]),
        ("any", "placeholder_option", [0]),
        ("error", "longest_key", []),
        ("any", "no such check", []),
    ],
)
def test_items_are_found_by_severity_and_by_check(
    cast: Cast, severity: str, code: str, hits: list[int]
) -> None:
    items = [submit_item(cast), submit_item(cast, writer=cast.writer2), submit_item(cast)]
    for item, check, of in (
        (items[0], "longest_key", "warning"),
        (items[0], "placeholder_option", "error"),
        (items[1], "longest_key", "warning"),
    ):
        ItemFinding.objects.create(
            project=cast.project, item=item, revision=wording(item), code=check, severity=of
        )
    found = with_findings(Item.objects.order_by("pk"), severity=severity, code=code)
    assert [items.index(item) for item in found] == hits


def test_a_finding_is_open_until_its_item_is_reworded_or_leaves(cast: Cast) -> None:
    items = [submit_item(cast), submit_item(cast), submit_item(cast)]
    for item in items:
        ItemFinding.objects.create(
            project=cast.project, item=item, revision=wording(item), code="longest_key", severity="warning"
        )
    revise_item(actor=cast.manager, item=items[0], content=content("Which hare was it?"))
    move(items[1], "rejected", cast)
    assert list(with_findings(Item.objects.all())) == [items[2]]
    assert list(findings_of([item.pk for item in items])) == [items[2].pk]


def test_errors_come_first(cast: Cast) -> None:
    item = submit_item(cast)
    for code, severity in (("longest_key", "warning"), ("placeholder_option", "error")):
        ItemFinding.objects.create(
            project=cast.project, item=item, revision=wording(item), code=code, severity=severity
        )
    assert [one.code for one in findings_of([item.pk])[item.pk]] == ["placeholder_option", "longest_key"]


def test_an_item_that_is_reworded_during_a_check_gets_no_finding(cast: Cast) -> None:
    same, other = submit_item(cast), submit_item(cast)
    seen = what_stands(cast.project)
    revise_item(actor=cast.manager, item=other, content=content("Which hare was it?"))
    named = [(str(item.pk), Finding("longest_key", "warning", "option-1")) for item in (same, other)]
    save_check(project=cast.project, seen=seen, findings={}, results=[], found=named)
    assert [one.item_id for one in ItemFinding.objects.all()] == [same.pk]


def test_slices_store_the_same_findings_as_the_whole(cast: Cast, settings: Settings) -> None:
    written(cast, "Ann", [faulty(90), *telling(20), *plain(12, 200)])
    fields = ("item", "revision", "code", "task", "severity", "place", "params")

    def rows() -> list[str]:
        return sorted(map(repr, ItemFinding.objects.filter(project=cast.project).values_list(*fields)))

    checked(cast)
    whole = rows()
    settings.GATE_SLICE_ITEMS = 9
    in_slices(cast)
    assert rows() == whole != []


def end_of_import(cast: Cast, kind: str = "import_items", state: str = "done") -> bool:
    """Whether a check is ordered when such a job ends."""
    Job.objects.filter(kind=GATE_CHECK).delete()
    notify_followers(JobEnd(1, cast.project.pk, kind, state, is_at_desk=False))
    return Job.objects.filter(kind=GATE_CHECK, subject=cast.project.pk).exists()


def test_a_check_runs_after_an_import_that_changed_something(cast: Cast) -> None:
    assert not end_of_import(cast), "there is nothing to check"
    bring(cast, [record(1, 0)])
    assert end_of_import(cast)
    assert end_of_import(cast, "import_stories")
    assert not end_of_import(cast, state="failed")
    assert not end_of_import(cast, "check_gates")
    run_gate_check(project_id=cast.project.pk)
    assert not end_of_import(cast), "nothing has changed since"


def test_released_items_have_no_findings_to_fix(cast: Cast) -> None:
    bring(cast, records(2))
    run_gate_check(project_id=cast.project.pk)
    built(cast)
    run_gate_check(project_id=cast.project.pk)
    assert not ItemFinding.objects.filter(project=cast.project).exists()
