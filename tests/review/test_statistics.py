"""The page of agreement: counted by a worker, explained where there is nothing to count."""

import io
from datetime import timedelta

import openpyxl
import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item, State
from annotation.services import revise_item
from jobs.models import Job, JobState
from jobs.queries import lost_jobs, unfinished_jobs
from projects.models import Role
from projects.services import set_roles
from review.models import Answer, Disposition, Review, ReviewRequest, ReviewStatistics, Stage
from review.queries.statistics import STATISTICS, overlap, projects_to_count
from review.services import (
    claim_next,
    count_statistics,
    mark_misclick,
    order_stale_statistics,
    order_statistics,
    send_verdict,
    solve,
)
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.review.morals import morals
from tests.work import do_work, end_first


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project(reviews_per_item=2)


def browser(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]  # a user of the cast
    return client


def review(
    cast: Cast,
    who: str,
    *,
    rating: int = 2,
    right: bool = True,
    misclick: bool = False,
    disposition: str = Disposition.PASS,
) -> Review:
    """The next item, solved and judged by somebody of the cast."""
    actor = getattr(cast, who)
    request = claim_next(actor=actor, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    keys = [option.position for option in request.revision.options.all() if option.is_key]
    position = request.drawn_order.index(keys[0])
    position = position if right else (position + 1) % len(request.drawn_order)
    found = solve(actor=actor, request=request, answer=Answer.OPTION, position=position)
    if misclick:
        mark_misclick(actor=actor, review=found)
    flaws = ["other"] if rating == 0 else []
    disposition = disposition if rating else Disposition.REJECT
    send_verdict(
        actor=actor, review=found, disposition=disposition, rating=rating, flaws=flaws, comment="Because."
    )
    claim_next(actor=actor, project=cast.project, stage=Stage.CROSS_CHECK)  # carries the verdict out
    return found


def page(cast: Cast) -> str:
    return browser(cast.manager).get(reverse("review:statistics", args=[cast.project.slug])).content.decode()


def test_it_says_that_nothing_has_been_counted(cast: Cast) -> None:
    assert "Not calculated yet." in page(cast)


def test_it_counts_agreement_and_accuracy_of_two_reviewers(cast: Cast) -> None:
    submit_item(cast)
    review(cast, "reviewer", rating=2)
    review(cast, "reviewer2", rating=1, right=False)
    count_statistics(project_id=cast.project.pk)
    found = ReviewStatistics.objects.get(project=cast.project).figures
    assert found["agreement"][""]["raw"]["value"] == 0
    assert found["accuracy"]["commonsense"]["value"] == 0.5
    assert found["overlap"] == {"twice": 1, "submitted": 1, "expected": 11}
    text = page(cast)
    assert "Rui Reviewer" in text
    assert "1 items have two ratings; below 50" in text.replace("\n", " ")
    assert "NaN" not in text


@pytest.mark.parametrize(("language", "said"), [("en", "not counted yet"), ("zh-hans", "尚未计算")])
def test_a_table_counted_before_a_figure_was_added_says_so(cast: Cast, language: str, said: str) -> None:
    submit_item(cast)
    review(cast, "reviewer")
    review(cast, "reviewer2")
    count_statistics(project_id=cast.project.pk)
    statistics = ReviewStatistics.objects.get(project=cast.project)
    for found in statistics.figures["agreement"].values():
        del found["ac2"]
    statistics.save()
    headers = {"accept-language": language}
    client = browser(cast.manager)
    text = client.get(
        reverse("review:statistics", args=[cast.project.slug]), headers=headers
    ).content.decode()
    assert text.count(said) == len(statistics.figures["agreement"])
    address = reverse("review:export_statistics", args=[cast.project.slug, "xlsx"])
    book = openpyxl.load_workbook(io.BytesIO(client.get(address, headers=headers).content))
    rows = {row[1]: row[2:] for row in book.worksheets[0].iter_rows(min_row=2, values_only=True)}
    assert rows["Gwet AC2"] == (said, None, None, None)
    assert rows["Krippendorff α"][3] == 1


def test_an_item_that_two_people_rated_again_is_one_item(cast: Cast) -> None:
    item = submit_item(cast)
    for turn in range(2):
        review(cast, "reviewer", rating=1, disposition=Disposition.RETURN)
        review(cast, "reviewer2", rating=1, disposition=Disposition.RETURN)
        item.refresh_from_db()
        revise_item(actor=cast.writer, item=item, content=content(f"Why did it happen, part {turn}?"))
    assert overlap(cast.project) == (1, 1)


def test_it_explains_one_reviewer_per_item(cast: Cast) -> None:
    submit_item(cast)
    review(cast, "reviewer")
    count_statistics(project_id=cast.project.pk)
    assert "No item has two ratings yet." in page(cast)


def test_it_leaves_slips_and_exposed_answers_out_of_human_accuracy(cast: Cast) -> None:
    story = make_story(cast)
    submit_item(cast, story=story)
    submit_item(cast, story=story, task="moral")
    review(cast, "reviewer", misclick=True)
    review(cast, "reviewer")
    review(cast, "reviewer2")
    Review.objects.filter(reviewer=cast.reviewer2).update(blind=False)
    count_statistics(project_id=cast.project.pk)
    accuracy = ReviewStatistics.objects.get(project=cast.project).figures["accuracy"]
    assert accuracy[""]["n"] == 1


def test_it_is_ordered_by_managers_and_hidden_from_everybody_else(cast: Cast) -> None:
    address = reverse("review:statistics", args=[cast.project.slug])
    for who, status in {"reviewer": 403, "verifier": 403, "writer": 403, "outsider": 404}.items():
        assert browser(getattr(cast, who)).get(address).status_code == status
        assert browser(getattr(cast, who)).post(f"{address}/count").status_code == status
        assert browser(getattr(cast, who)).get(f"{address}.csv").status_code == status


def test_it_shows_that_figures_are_on_their_way(cast: Cast) -> None:
    assert order_statistics(actor=cast.manager, project=cast.project).is_unfinished
    assert "Calculating." in page(cast)
    do_work(STATISTICS, cast.project.pk)
    assert not unfinished_jobs(STATISTICS, cast.project.pk).exists()
    assert "Calculating." not in page(cast)


def test_its_page_shows_figures_whose_counting_ends_meanwhile(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_statistics(actor=cast.manager, project=cast.project)
    end_first(monkeypatch, "review.views.statistics")
    assert "As of" in page(cast)


def test_it_counts_again_what_was_lost_or_is_a_day_old_or_was_never_counted(cast: Cast) -> None:
    def wanted() -> list[int]:
        return projects_to_count()

    assert wanted() == []
    submit_item(cast)
    review(cast, "reviewer")
    assert wanted() == [cast.project.pk]
    count_statistics(project_id=cast.project.pk)
    assert wanted() == []
    now = timezone.now()
    job = order_statistics(actor=cast.manager, project=cast.project)
    assert not lost_jobs(), "it was asked for a moment ago"
    Job.objects.update(created_at=now - timedelta(minutes=2))
    assert list(lost_jobs()) == [job]
    ReviewStatistics.objects.update(counted_at=now - timedelta(hours=25))
    assert wanted() == [cast.project.pk]
    assert order_stale_statistics() == [cast.project.pk]
    assert Job.objects.get() == job
    Job.objects.update(state=JobState.FAILED)
    assert wanted() == [], "a fault would come back every minute"


def test_it_hands_all_tables_out_as_a_workbook(cast: Cast) -> None:
    submit_item(cast)
    review(cast, "reviewer")
    review(cast, "reviewer2")
    count_statistics(project_id=cast.project.pk)
    address = reverse("review:export_statistics", args=[cast.project.slug, "xlsx"])
    book = openpyxl.load_workbook(io.BytesIO(browser(cast.manager).get(address).content))
    assert len(book.sheetnames) == 8
    people = list(book["reviewers"].iter_rows(values_only=True))
    assert people[0][-2:] == ("practice items reviewed", "practice items correct")
    assert people[1][-2:] == (0, 0)
    assert browser(cast.manager).get(address.replace("xlsx", "pdf")).status_code == 400


def listed(cast: Cast, **asked: object) -> str:
    address = reverse("review:counted_items", args=[cast.project.slug])
    answer = browser(cast.manager).get(address, {name: str(value) for name, value in asked.items()})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_figure_leads_to_the_items_that_it_counts(cast: Cast) -> None:
    agreed, disputed, once = (submit_item(cast, story=make_story(cast)) for _number in range(3))
    for rating in (2, 0, 1):
        review(
            cast,
            "reviewer",
            rating=rating,
            disposition=Disposition.REJECT if rating == 0 else Disposition.PASS,
        )
    for rating in (2, 1):
        review(cast, "reviewer2", rating=rating, right=rating == 2)
    count_statistics(project_id=cast.project.pk)
    page = browser(cast.manager).get(reverse("review:statistics", args=[cast.project.slug])).content.decode()
    one, two = cast.reviewer.pk, cast.reviewer2.pk
    behind = (
        *("figure=twice&amp;task=commonsense", f"figure=rated&amp;reviewer={one}&amp;second={two}"),
        *(f"figure={figure}&amp;reviewer={one}" for figure in ("rated", "twice", "answered")),
    )
    for figure in behind:
        assert figure in page.replace("&amp;amp;", "&amp;")

    def numbers(**asked: object) -> set[int]:
        found = listed(cast, **asked)
        return {
            item.pk
            for item in (agreed, disputed, once)
            if reverse("dashboard:item", args=[cast.project.slug, item.pk]) + '"' in found
        }

    both = {agreed.pk, disputed.pk}
    assert numbers(figure="rated") == both | {once.pk}
    assert numbers(figure="twice", task="commonsense") == both
    assert numbers(figure="differ") == numbers(figure="wrong") == {disputed.pk}
    assert numbers(figure="rated", reviewer=one, rating=0) == {disputed.pk}
    assert numbers(figure="differ", reviewer=one, second=two) == {disputed.pk}
    assert numbers(figure="wrong", reviewer=one) == numbers(figure="rated", task="moral") == set()
    assert numbers(figure="answered", reviewer=two) == both
    assert numbers(figure="none", rating="x") == both | {once.pk}, "what cannot be read narrows nothing"


def test_it_shows_human_accuracy_by_style(cast: Cast) -> None:
    """One person's blind answers to a story's moral items: each style with its n, and the difference."""
    cast.project.reviews_per_item = 1
    cast.project.save()
    items = []
    for number in range(3):
        story = make_story(cast)
        items += morals(cast, story, first=3 * number)
        for _item in range(3):
            request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
            assert request is not None
            key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
            is_wrong = number == 0 and request.item.style == "machine"
            position = (key + is_wrong) % 4
            solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=position)
        ReviewRequest.objects.filter(story=story).update(state="closed", claimed_by=None)
    count_statistics(project_id=cast.project.pk)
    found = ReviewStatistics.objects.get().figures["styles"]["moral"]
    assert {name: (one["value"], one["n"]) for name, one in found.items()} == {
        "human": (1.0, 3),
        "machine": (pytest.approx(4 / 6), 6),
        "difference": (pytest.approx(1 / 3), 9),
    }
    page_text = page(cast)
    assert "moral, machine style" in page_text
    assert "task=moral&amp;style=machine" in page_text
    assert "Human style minus machine style, moral" in page_text
    wrong = listed(cast, figure="wrong", task="moral", style="machine")
    addresses = [reverse("dashboard:item", args=[cast.project.slug, item.pk]) for item in items]
    assert [f'{address}"' in wrong for address in addresses] == [False, True, True, *[False] * 6]
    address = reverse("review:export_statistics", args=[cast.project.slug, "xlsx"])
    book = openpyxl.load_workbook(io.BytesIO(browser(cast.manager).get(address).content))
    rows = list(book["human accuracy"].iter_rows(values_only=True))
    assert rows[-1][0] == "moral, human minus machine style"
    assert rows[-1][-1] == 9


def test_it_keeps_what_others_found_from_who_may_still_review(cast: Cast) -> None:
    submit_item(cast)
    review(cast, "reviewer", rating=1)
    assert "correct blind answer" in listed(cast, figure="rated")
    roles = [Role.MANAGER, Role.REVIEWER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.manager, roles=roles)
    page = listed(cast, figure="rated")
    assert "correct blind answer" not in page
    assert "Items that you may still review are not shown." in page
    assert "Items that you may still review are not shown." in listed(cast, figure="wrong"), (
        "whatever the figure"
    )
    with transaction.atomic():
        Item.objects.update(state=State.RETURNED)
        ReviewRequest.objects.filter(state="open").update(state="closed")
        assert "correct blind answer" not in listed(cast, figure="rated"), "it may come back"
        transaction.set_rollback(True)
    claim_next(actor=cast.manager, project=cast.project, stage=Stage.CROSS_CHECK)
    assert "correct blind answer" not in listed(cast, figure="rated"), "nor while it is in hand"
    address = reverse("review:counted_items", args=[cast.project.slug])
    assert browser(cast.reviewer).get(address).status_code == 403


@pytest.mark.parametrize(("most", "said", "pages"), [(2, "1 to 1 of more than 2", 2), (3, "1 to 1 of 3", 3)])
def test_it_counts_and_leads_no_further_than_the_long_lists(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int, said: str, pages: int
) -> None:
    monkeypatch.setattr("web.long_list.MOST", most)
    monkeypatch.setattr("review.views.statistics.ITEMS", 1)
    for _number in range(3):
        submit_item(cast, story=make_story(cast))
        review(cast, "reviewer")
    page = listed(cast, figure="rated")
    assert said in page
    assert f"Page 1 of {pages}" in page
    assert ("more than 2 items" in page) == (most == 2)


def test_it_asks_the_database_as_often_for_many_items_behind_a_figure(cast: Cast) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            listed(cast, figure="rated")
        return len(queries)

    submit_item(cast)
    review(cast, "reviewer")
    one = asked()
    for _number in range(4):
        submit_item(cast)
        review(cast, "reviewer")
    assert asked() == one
