"""A release that is being prepared: its gates, and what a manager does about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from annotation.models import Item, State
from annotation.services import retire_item
from core.errors import Conflict, Forbidden, Unusable
from corpus.models import Story
from corpus.services import revise_story
from jobs.queries import unfinished_jobs
from jobs.services import run_job
from parable.quality.gates import GATES
from release.models import DraftExclusion, DraftFinding, Release, ReleaseDraft, ReleaseState
from release.options import blank, typed_of
from release.queries.draft import (
    DRAFT_CHECK,
    contents,
    findings,
    is_checked,
    listed_items,
    recipe_of,
    unresolved,
)
from release.services import (
    build_draft,
    check_draft,
    create_draft,
    discard_draft,
    exclude_items,
    find_problems,
    finish_release,
    include_items,
    order_draft_check,
    order_gate_check,
    override_gate,
    remove_override,
    restore_draft,
    return_items,
    run_gate_check,
    save_form_data,
)
from tests.factories import Cast, make_project
from tests.filling import lift_rules
from tests.release.made import ALLOWED, bring, built, grant_rights, record, records
from tests.shared_rows import shared_rows
from tests.work import end_first

pytestmark = pytest.mark.django_db

FORM_DATA: dict[str, Any] = {
    "version": "1.0.0",
    "dev_share": "0.2",
    "split": "story",
    "seed": "7",
}

Prepared: TypeAlias = tuple[Cast, ReleaseDraft]

DRAWN_ANEW: Final = "Drawn anew: items of 1.0.0 get new IDs and splits"


@pytest.fixture(scope="module")
def _prepared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Prepared]:
    with shared_rows(django_db_blocker, _prepare) as made:
        yield made


def _prepare() -> Prepared:
    made = make_project()
    twins = [
        replace(record(story, 9), question=record(story, 0).question, choices=record(story, 0).choices)
        for story in (0, 1)
    ]
    bring(made, [*records(), *twins])
    return made, drafted(made)


@pytest.fixture
def prepared(_prepared: Prepared, db: None) -> Prepared:
    """A project of which a release is prepared: the objects are copies that belong together."""
    return deepcopy(_prepared)


@pytest.fixture
def cast(prepared: Prepared) -> Cast:
    """Twins in two stories, and stories whose rights nobody has stated."""
    return prepared[0]


@pytest.fixture
def draft(prepared: Prepared) -> ReleaseDraft:
    """A draft whose gates have been checked."""
    return prepared[1]


def drafted(cast: Cast, **changes: Any) -> ReleaseDraft:
    draft = create_draft(actor=cast.manager, project=cast.project, data=FORM_DATA | changes)
    return checked(draft)


def checked(draft: ReleaseDraft) -> ReleaseDraft:
    for job in unfinished_jobs(DRAFT_CHECK, draft.pk):
        run_job(job_id=job.pk)
    return ReleaseDraft.objects.select_related("project", "release").get(pk=draft.pk)


def test_its_gates_say_what_a_build_would_say(cast: Cast, draft: ReleaseDraft) -> None:
    assert {one.gate for one in findings(draft)} == set(GATES)
    assert {one.gate for one in unresolved(draft)} == {"duplicates", "rights"}
    assert all(one.is_settled for one in findings(draft))
    assert sum(sum(cell.values()) for cell in draft.counts.values()) == 44
    assert is_checked(draft)


def test_a_page_shows_what_a_check_found_that_ends_meanwhile(
    cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = create_draft(actor=cast.manager, project=cast.project, data=FORM_DATA)
    end_first(monkeypatch, "release.views.draft")
    client.force_login(cast.manager)
    page = client.get(reverse("release:draft_gates", args=[cast.project.slug, draft.pk])).context
    assert (page["polls"], page["checked"]) == (False, True)


def test_two_failing_gates_are_mended_and_it_is_built(cast: Cast, draft: ReleaseDraft) -> None:
    with pytest.raises(Conflict, match="A gate fails"):
        build_draft(actor=cast.manager, draft=draft)
    assert exclude_items(actor=cast.manager, draft=draft, gate="duplicates") == 2
    assert contents(draft).items == 42
    override_gate(actor=cast.manager, draft=draft, gate="rights", reason="Old as the hills.")
    with pytest.raises(Conflict, match="Check the gates again"):
        build_draft(actor=cast.manager, draft=draft)
    draft = checked(draft)
    release = finish_release(release_id=build_draft(actor=cast.manager, draft=draft).pk)
    assert release.state == ReleaseState.READY
    assert release.items.count() == 42
    assert release.recipe["reason"] == f"Old as the hills. ({cast.manager})"
    answers = {one.gate: one.answer["verdict"] for one in findings(draft)}
    assert answers == {one["id"]: one["verdict"] for one in release.manifest["gates"]} | answers
    with pytest.raises(Conflict, match="no longer be changed"):
        include_items(actor=cast.manager, draft=draft)


def test_what_is_excluded_and_overridden_can_be_undone(cast: Cast, draft: ReleaseDraft) -> None:
    chosen = draft.findings.get(gate="duplicates").items
    assert len(chosen) == 4
    assert exclude_items(actor=cast.manager, draft=draft, gate="duplicates", items=chosen[:3]) == 3
    assert exclude_items(actor=cast.manager, draft=draft, gate="duplicates", items=chosen[:3]) == 0
    assert contents(draft).lists["excluded"] == 3
    assert include_items(actor=cast.manager, draft=draft, items=chosen[:1]) == 1
    assert include_items(actor=cast.manager, draft=draft, gate="duplicates") == 2
    assert contents(draft).items == 44
    override_gate(actor=cast.manager, draft=draft, gate="rights", reason="Known.")
    assert [one.gate for one in unresolved(checked(draft))] == ["duplicates"]
    remove_override(actor=cast.manager, draft=draft, gate="rights")
    assert len(unresolved(draft)) == 2
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert {"exclude_from_release", "include_in_release", "override_gate", "remove_override"} <= verbs


def test_only_items_behind_the_finding_are_excluded(cast: Cast, draft: ReleaseDraft) -> None:
    behind = draft.findings.get(gate="duplicates").items
    other = Item.objects.exclude(pk__in=behind).values_list("pk", flat=True)[:1]
    with pytest.raises(Unusable, match="Select at least one"):
        exclude_items(actor=cast.manager, draft=draft, gate="duplicates", items=other)


def test_any_item_of_the_draft_can_be_excluded_without_a_gate(cast: Cast, draft: ReleaseDraft) -> None:
    item = Item.objects.get(project=cast.project, ref="commonsense-3-1")
    strangers = make_project()
    bring(strangers, records(1))
    other = Item.objects.filter(project=strangers.project).first()
    assert other
    assert exclude_items(actor=cast.manager, draft=draft, gate="", items=[item.pk, other.pk]) == 1
    assert contents(draft).items == 43
    for again in ([item.pk], []):
        with pytest.raises(Unusable, match="at least one"):
            exclude_items(actor=cast.manager, draft=draft, gate="", items=again)
    assert include_items(actor=cast.manager, draft=draft, items=[item.pk]) == 1


def test_a_draft_that_extends_a_release_takes_its_split_and_does_not_ask_for_it(
    cast: Cast, client: Client
) -> None:
    client.force_login(cast.manager)
    built(cast, recipe=replace(ALLOWED, allow=("duplicates", "rights")))
    draft = drafted(cast, version="1.1.0", extends="1.0.0", split="item")
    assert draft.recipe["split"] == "story"
    page = f"/p/{cast.project.slug}/releases/drafts/{draft.pk}/settings"
    text = client.get(page).content.decode()
    assert 'name="split"' not in text
    assert "as in 1.0.0, which it extends." in text
    assert DRAWN_ANEW not in text
    typed = {"dev_share": "0.2", "seed": "7", "split": "item"}
    assert client.post(page, typed).status_code == 302
    draft.refresh_from_db()
    assert (draft.recipe["split"], find_problems(draft)) == ("story", {})
    fresh = drafted(cast, version="2.0.0")
    text = client.get(f"/p/{cast.project.slug}/releases/drafts/{fresh.pk}/settings").content.decode()
    assert 'name="split"' in text
    assert DRAWN_ANEW in text


def test_items_go_back_to_review_with_the_reason(cast: Cast, draft: ReleaseDraft) -> None:
    with pytest.raises(Unusable, match="Enter what to revise"):
        return_items(actor=cast.manager, draft=draft, gate="duplicates", reason=" ")
    assert return_items(actor=cast.manager, draft=draft, gate="duplicates", reason="There twice.") == 2
    moved = Item.objects.filter(state=State.IN_REVIEW)
    assert [one.transitions.latest("pk").reason for one in moved] == ["There twice."] * 2
    held = contents(checked(draft))
    assert (held.items, held.lists["unverified"]) == (42, 2)


def test_nobody_but_managers_prepares_releases(cast: Cast, draft: ReleaseDraft) -> None:
    with pytest.raises(Forbidden):
        create_draft(actor=cast.verifier, project=cast.project, data=FORM_DATA)
    for act in (exclude_items, include_items):
        with pytest.raises(Forbidden):
            act(actor=cast.reviewer, draft=draft, gate="duplicates")
    with pytest.raises(Forbidden):
        override_gate(actor=cast.writer, draft=draft, gate="rights", reason="Mine.")


def test_wrong_settings_are_kept_and_the_gates_stay_with_the_last_right_ones(
    cast: Cast, draft: ReleaseDraft
) -> None:
    wrong = save_form_data(actor=cast.manager, draft=draft, data={"dev_share": "1.5", "contact": "us"})
    assert list(wrong) == ["dev_share"]
    draft.refresh_from_db()
    assert (draft.wishes["dev_share"], draft.wishes["contact"]) == ("1.5", "us")
    assert draft.recipe["dev_share"] == "0.2"
    with pytest.raises(Conflict, match="Correct the settings"):
        build_draft(actor=cast.manager, draft=draft)
    assert save_form_data(actor=cast.manager, draft=draft, data={"dev_share": "0.5"}) == {}
    assert checked(draft).counts["moral"]["dev"] > draft.counts["moral"]["dev"]


def test_a_draft_of_before_an_option_was_added_is_read(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    later = ("min_rating", "dev_moral", "out_stories", "keep_order", "anonymous", "contact", "train_share")
    old = {name: value for name, value in draft.wishes.items() if name not in later}
    ReleaseDraft.objects.filter(pk=draft.pk).update(wishes=old)
    draft.refresh_from_db()
    assert find_problems(draft) == {}
    client.force_login(cast.manager)
    address = reverse("release:draft_settings", args=[cast.project.slug, draft.pk])
    assert client.get(address).status_code == 200
    assert save_form_data(actor=cast.manager, draft=draft, data={"seed": "8"}) == {}
    draft.refresh_from_db()
    assert draft.wishes == blank() | old | {"seed": "8"}


def test_a_mixed_split_with_counts_is_asked_for_and_built_so(cast: Cast) -> None:
    mixed = {"split": "mixed", "out_stories": "1", "dev_moral": "6", "dev_commonsense": "9"}
    draft = drafted(cast, **mixed)
    assert {task: cell["dev"] for task, cell in draft.counts.items()} == {"commonsense": 9, "moral": 6}
    assert typed_of(draft.recipe, mixed) == mixed
    placed = drafted(cast, **mixed, seed="8")
    assert recipe_of(placed).out_stories == 1


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"out_stories": ""}, "out_stories"),
        ({"out_stories": "2"}, "out_stories"),
        ({"out_stories": "one"}, "out_stories"),
        ({"out_stories": "1", "dev_moral": "18"}, "dev_moral"),
        ({"out_stories": "1", "dev_moral": "-3"}, "dev_moral"),
    ],
)
def test_a_mixed_split_that_dev_has_no_room_for_is_refused(
    cast: Cast, typed: dict[str, str], field: str
) -> None:
    with pytest.raises(Unusable) as refused:
        create_draft(actor=cast.manager, project=cast.project, data=FORM_DATA | {"split": "mixed"} | typed)
    assert list(refused.value.fields) == [field]


def test_a_check_is_out_of_date_when_something_has_moved(cast: Cast, draft: ReleaseDraft) -> None:
    assert is_checked(draft)
    grant_rights(cast)
    assert not is_checked(draft)


def test_a_check_is_out_of_date_when_a_story_is_worded_otherwise(cast: Cast, draft: ReleaseDraft) -> None:
    story = Story.objects.filter(project=cast.project).earliest("pk")
    assert story.current
    revise_story(
        actor=cast.manager,
        story=story,
        title=story.current.title,
        text=f"{story.current.text} So it was.",
        moral=story.current.moral,
        moral_origin=story.current.moral_origin,
        reason="A sentence was lost.",
    )
    assert not is_checked(draft)


def test_a_check_that_is_begun_and_not_ended_counts_as_none(cast: Cast, draft: ReleaseDraft) -> None:
    order_draft_check(actor=cast.manager, draft=draft)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("release.services.draft_check.judge_one_by_one", _break)
        with pytest.raises(OSError, match="away"):
            check_draft(draft_id=draft.pk)
    unfinished_jobs(DRAFT_CHECK, draft.pk).update(state="failed")
    draft.refresh_from_db()
    assert not is_checked(draft)


def _break(*_said: object) -> None:
    raise OSError("away")


def test_settings_that_became_right_meanwhile_are_not_built_before_the_gates_have_seen_them(
    cast: Cast, draft: ReleaseDraft
) -> None:
    for gate in ("rights", "duplicates"):
        override_gate(actor=cast.manager, draft=draft, gate=gate, reason="A trial.")
    checked(draft)
    taken = Release.objects.create(
        project=cast.project,
        version="1.0.0",
        seed="7",
        recipe=draft.recipe,
        state=ReleaseState.BUILDING,
        created_by=cast.manager,
    )
    assert save_form_data(actor=cast.manager, draft=draft, data={"withhold_test": True})
    Release.objects.filter(pk=taken.pk).update(state=ReleaseState.FAILED)
    draft = checked(draft)
    assert find_problems(draft) == {}
    with pytest.raises(Conflict, match="Check the gates again"):
        build_draft(actor=cast.manager, draft=draft)
    order_draft_check(actor=cast.manager, draft=draft)
    release = build_draft(actor=cast.manager, draft=checked(draft))
    assert release.recipe["withhold_test"] is True


def test_figures_come_before_the_last_gate_has_answered(cast: Cast) -> None:
    draft = create_draft(actor=cast.manager, project=cast.project, data=FORM_DATA)
    seen: list[tuple[int, int]] = []

    def report(_step: int, done: int = 0, total: int = 0) -> None:
        there = DraftFinding.objects.filter(draft=draft)
        seen.append((done, there.filter(is_settled=False).count()))
        assert total == len(GATES)

    check_draft(draft_id=draft.pk, report=report)
    assert [done for done, _there in seen] == list(range(len(GATES) + 1))
    assert [there for _done, there in seen] == sorted({there for _done, there in seen})
    assert not DraftFinding.objects.filter(is_settled=False).exists()


def test_the_items_behind_a_gate_can_be_chosen_while_it_is_checked_again(
    cast: Cast, draft: ReleaseDraft
) -> None:
    before = draft.findings.get(gate="duplicates").items
    seen: list[tuple[bool, bool]] = []

    def report(_step: int, done: int = 0, total: int = 0) -> None:
        found = draft.findings.get(gate="duplicates")
        seen.append((found.is_settled, found.items == before))

    check_draft(draft_id=draft.pk, report=report)
    assert (False, True) in seen
    assert all(is_kept for _settled, is_kept in seen)


def test_a_gate_says_why_no_items_can_be_excluded(cast: Cast, draft: ReleaseDraft, client: Client) -> None:
    client.force_login(cast.manager)
    position = draft.findings.get(gate="key_position", task="moral")
    position.answer["verdict"] = "error"
    position.save()
    split = draft.findings.get(gate="split_leak")
    split.answer["verdict"] = "error"
    split.save()
    page = client.get(f"/p/{cast.project.slug}/releases/drafts/{draft.pk}/gates").content.decode()
    rows = {
        name: page.partition(f'id="gate-{name}"')[2].partition("</details>")[0]
        for name in ("duplicates", "rights", "key_position-moral", "split_leak")
    }
    settings = f'href="/p/{cast.project.slug}/releases/drafts/{draft.pk}/settings"'
    assert [name for name, row in rows.items() if settings in row] == ["split_leak"]
    del rows["split_leak"]
    disabled = {name: row.count(" disabled title=") for name, row in rows.items()}
    assert disabled == {"duplicates": 0, "rights": 2, "key_position-moral": 3}
    assert "Every item is behind this finding" in rows["rights"]
    assert "places the keys anew" in rows["key_position-moral"]


def test_an_override_whose_finding_is_gone_is_no_longer_needed(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    client.force_login(cast.manager)
    page, build = (f"/p/{cast.project.slug}/releases/drafts/{draft.pk}/{step}" for step in ("gates", "build"))
    override_gate(actor=cast.manager, draft=draft, gate="rights", reason="Old as the hills.")
    for address in (page, build):
        assert "no longer needed" not in client.get(address).content.decode()
    grant_rights(cast)
    order_draft_check(actor=cast.manager, draft=draft)
    checked(draft)
    text = client.get(page).content.decode()
    assert re.search(
        r'id="gate-rights" class="raised".*?Override no longer needed.*?Remove override', text, re.DOTALL
    )
    text = client.get(build).content.decode()
    assert re.search(r"Rights[^<]*<span[^>]*>no longer needed", text)
    DraftFinding.objects.filter(draft=draft, gate="rights").delete()
    assert "is no longer needed." in client.get(page).content.decode()
    remove_override(actor=cast.manager, draft=draft, gate="rights")
    for address in (page, build):
        assert "no longer needed" not in client.get(address).content.decode()


def test_an_anonymous_release_names_nobody_who_overrode_a_gate(cast: Cast) -> None:
    draft = drafted(cast, anonymous=True)
    override_gate(actor=cast.manager, draft=draft, gate="rights", reason="Known.")
    override_gate(actor=cast.manager, draft=draft, gate="duplicates", reason="Wanted.")
    assert recipe_of(draft).reason == "duplicates: Wanted. rights: Known."


def test_a_withheld_test_is_built_with_the_seed_that_the_gates_saw(cast: Cast) -> None:
    draft = drafted(cast, withhold_test=True)
    for gate in ("rights", "duplicates"):
        override_gate(actor=cast.manager, draft=draft, gate=gate, reason="A trial.")
    release = finish_release(release_id=build_draft(actor=cast.manager, draft=checked(draft)).pk)
    assert release.state == ReleaseState.READY
    assert release.seed == draft.secret_seed
    by_split = {task: dict(cell) for task, cell in draft.counts.items()}
    assert release.manifest["counts"] == by_split


def test_the_page_of_a_release_counts_what_was_excluded_for_its_gates(cast: Cast, client: Client) -> None:
    client.force_login(cast.manager)
    grant_rights(cast)
    built(cast, recipe=replace(ALLOWED, allow=("duplicates",)))
    draft = drafted(cast, version="1.0.1", extends="1.0.0")
    exclude_items(actor=cast.manager, draft=draft, gate="duplicates")
    finish_release(release_id=build_draft(actor=cast.manager, draft=checked(draft)).pk)
    text = re.sub(r"\s+", " ", client.get(f"/p/{cast.project.slug}/releases/1.0.1").content.decode())
    assert "2 items excluded · " in text
    assert "<dt>Excluded</dt><dd>2</dd>" in text
    assert "excluded" not in client.get(f"/p/{cast.project.slug}/releases/1.0.0").content.decode()


def test_a_draft_whose_build_failed_goes_on(cast: Cast, draft: ReleaseDraft) -> None:
    for gate in ("rights", "duplicates"):
        override_gate(actor=cast.manager, draft=draft, gate=gate, reason="A trial.")
    release = build_draft(actor=cast.manager, draft=draft)
    Release.objects.filter(pk=release.pk).update(state=ReleaseState.FAILED)
    draft = checked(draft)
    assert draft.is_open
    remove_override(actor=cast.manager, draft=draft, gate="rights")
    discard_draft(actor=cast.manager, draft=draft)
    with pytest.raises(Conflict, match="no longer be changed"):
        override_gate(actor=cast.manager, draft=draft, gate="rights", reason="Again.")
    assert restore_draft(actor=cast.manager, draft=draft).is_open


def test_it_shows_what_is_new_reworded_and_retired_since_the_last_release(cast: Cast) -> None:
    grant_rights(cast)
    built(cast, recipe=replace(ALLOWED, allow=("duplicates",)))
    gone = Item.objects.filter(state=State.VERIFIED).first()
    assert gone is not None
    retire_item(actor=cast.manager, item=gone, reason="It is odd.")
    bring(cast, [record(8, 1), record(8, 2)])
    draft = drafted(cast, version="1.1.0", extends="1.0.0")
    held = contents(draft)
    assert held.since == "1.0.0"
    assert {name: held.lists[name] for name in ("new", "reworded", "retired")} == {
        "new": 2,
        "reworded": 0,
        "retired": 1,
    }
    assert {one.pk for one in listed_items(draft, "retired")} == {gone.pk}
    assert held.items == 45
    patch = drafted(cast, version="1.0.1", extends="1.0.0")
    held = contents(patch)
    assert (held.items, held.lists["new"]) == (43, 0), "a patch takes no item that 1.0.0 does not hold"


def test_a_discarded_draft_is_found_on_the_list_of_releases(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    client.force_login(cast.manager)
    page = f"/p/{cast.project.slug}/releases"
    assert "Discarded drafts" not in client.get(page).text
    discard_draft(actor=cast.manager, draft=draft)
    assert f"{page}/drafts/{draft.pk}/gates" in client.get(page).text


def test_a_reason_survives_a_return_for_which_no_item_was_ticked(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    client.force_login(cast.manager)
    asked = {"gate": "duplicates", "task": "", "listed": "1", "reason": "The key is quoted."}
    answer = client.post(f"/p/{cast.project.slug}/releases/drafts/{draft.pk}/return", asked)
    assert answer.status_code == 400
    assert "Select at least one item." in answer.text
    assert "The key is quoted." in answer.text


def test_the_step_of_the_gates_says_how_far_they_are(cast: Cast, draft: ReleaseDraft, client: Client) -> None:
    client.force_login(cast.manager)

    def note() -> str:
        steps = client.get(f"/p/{cast.project.slug}/releases/drafts/{draft.pk}/gates").context["steps"]
        return str(steps[1].note)

    assert note() == f"2 of {len(findings(draft))} fail"
    for gate in ("rights", "duplicates"):
        override_gate(actor=cast.manager, draft=draft, gate=gate, reason="Known.")
    assert note() == "2 overridden"
    everything = list(Item.objects.filter(state=State.VERIFIED).values_list("pk", flat=True))
    draft.findings.filter(gate="duplicates").update(items=everything)
    exclude_items(actor=cast.manager, draft=draft, gate="duplicates", items=everything)
    assert note() == "Checking"
    checked(draft)
    assert note() == "No items"


PAGES: Final = (
    "contents",
    "gates",
    "settings",
    "build",
    "items?gate=duplicates&task=",
    "items?which=excluded",
)


def test_every_page_of_gates_uses_the_same_words_and_no_codes(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    client.force_login(cast.manager)
    built(cast, recipe=replace(ALLOWED, allow=("duplicates", "rights")))
    built(cast, version="9.0.0", recipe=replace(ALLOWED, allow=(), reason=""))
    bring(cast, [record(story, 0) for story in range(50, 60)])
    order_gate_check(actor=cast.manager, project=cast.project)
    run_gate_check(project_id=cast.project.pk)
    known = {"Fails", "Overridden", "Warning", "Passes", "Not applicable", "Under 100 items"}
    said: set[str] = set()
    base = f"/p/{cast.project.slug}"
    pages = [f"{base}/gates", f"{base}/releases/1.0.0/gates", f"{base}/releases/9.0.0/gates"]
    for address in [*pages, *(f"{base}/releases/drafts/{draft.pk}/{step}" for step in ("gates", "settings"))]:
        text = client.get(address).content.decode()
        said |= set(re.findall(r'<span class="verdict[^"]*">([\w ]+?) <svg', text))
        shown = re.sub(r"<[^>]*>", " ", text)
        assert not [gate for gate in GATES if "_" in gate and gate in shown], address
    assert said <= known, said
    assert {"Fails", "Overridden", "Passes", "Under 100 items"} <= said


def test_its_pages_ask_as_much_of_ten_thousand_items_as_of_few(
    cast: Cast, draft: ReleaseDraft, client: Client
) -> None:
    exclude_items(actor=cast.manager, draft=draft, gate="duplicates")
    client.force_login(cast.manager)
    before = [_asked(client, draft, page) for page in PAGES]
    _multiply(cast, draft, 10_000)
    assert [_asked(client, draft, page) for page in PAGES] == before


def _asked(client: Client, draft: ReleaseDraft, page: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/p/{draft.project.slug}/releases/drafts/{draft.pk}/{page}")
    assert answer.status_code == 200
    return len(queries)


def _multiply(cast: Cast, draft: ReleaseDraft, many: int) -> None:
    """So many more verified items, half of them behind a finding and a quarter excluded."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    lift_rules(["annotation_item", "release_draftexclusion"])
    one = Item.objects.filter(state=State.VERIFIED).order_by("pk").first()
    assert one is not None
    values = {field.attname: getattr(one, field.attname) for field in Item._meta.concrete_fields}
    made = Item.objects.bulk_create(
        (Item(**{**values, "id": None, "current_id": None, "ref": f"more-{at}"}) for at in range(many)),
        batch_size=2000,
    )
    behind = [item.pk for item in made[: many // 2]]
    draft.findings.filter(gate="duplicates").update(items=behind, leave_out=behind)
    DraftExclusion.objects.bulk_create(
        DraftExclusion(draft=draft, item_id=pk, gate="duplicates", excluded_by=cast.manager)
        for pk in behind[: many // 4]
    )
