"""Severity and keys by answers of a project's reviews: what is counted, kept, shown and exported."""

import io
from dataclasses import asdict, replace

import openpyxl
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from parable.psychometrics.raters.adjusted import Adjusted
from review.figures import Rated
from review.models import Review, ReviewStatistics
from review.queries.statistics import chosen_rows
from review.rater_figures import Chosen, key_figures, most_changed, severity_figures
from review.services import count_statistics
from tests.factories import Cast, make_project, submit_item
from tests.parable.rating_sets import simulate_answers, simulate_ratings
from tests.review.test_statistics import browser, page, review


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project(reviews_per_item=2)


def _rated() -> list[Rated]:
    simulated = simulate_ratings(5, raters=4, stories=20)
    return [Rated(unit, simulated.stories[unit], "commonsense", who, k) for unit, who, k in simulated.rows]


def _chosen() -> list[Chosen]:
    rows, stories, keys, _ = simulate_answers(9, people=6, stories=10, each=5)
    keys[7] = (keys[7] + 1) % 4
    return [
        Chosen(
            int(str(one.item)),
            stories[int(str(one.item))],
            int(str(one.person)),
            one.choice,
            4,
            keys[int(str(one.item))],
        )
        for one in rows
    ]


def test_severity_is_that_of_all_reviewers_with_stories_as_units() -> None:
    figures, adjusted = severity_figures(_rated(), 3)
    assert (figures.units, figures.ratings, figures.stories) == (100, 200, 20)
    assert len(figures.reviewers) == 4
    assert all(one.severity is not None for one in figures.reviewers)
    assert [one.unit for one in adjusted] == list(range(100))


def test_a_page_shows_the_ratings_that_change_most() -> None:
    rows = [Adjusted(n, 2, 1.0, 1 + n / 100, 0.5, 1.5) for n in range(12)]
    assert [one.unit for one in most_changed(rows)] == [11, 10, 9, 8, 7]
    assert [one.unit for one in most_changed(rows[:7])] == [6, 5]


def test_keys_are_held_against_what_the_answers_say() -> None:
    found = key_figures(_chosen())
    assert found is not None
    assert 7 in found.against
    assert (found.answers, found.items, found.stories, len(found.reviewers)) == (250, 50, 10, 6)
    assert key_figures(_chosen()[:29]) is None


def test_the_answers_behind_keys_are_blind_and_name_one_option(cast: Cast) -> None:
    item = submit_item(cast)
    review(cast, "reviewer")
    review(cast, "reviewer2", right=False)
    [first, second] = chosen_rows(cast.project)
    options = list(item.current.options.order_by("position"))  # type: ignore[union-attr]  # it was submitted
    key = next(one.position for one in options if one.is_key)
    assert first == replace(second, reviewer=cast.reviewer.pk, option=key)
    assert (first.key, first.options, second.reviewer) == (key, len(options), cast.reviewer2.pk)
    assert second.option != key
    Review.objects.filter(reviewer=cast.reviewer).update(blind=False)
    Review.objects.filter(reviewer=cast.reviewer2).update(misclick=True)
    assert list(chosen_rows(cast.project)) == []


def _modelled(cast: Cast) -> int:
    """A project whose two reviewers and one item stand in for the first of many; the item's number."""
    item = submit_item(cast)
    review(cast, "reviewer")
    review(cast, "reviewer2", right=False)
    count_statistics(project_id=cast.project.pk)
    kept = ReviewStatistics.objects.get(project=cast.project)
    assert {one["reason"] for one in kept.figures["severity"]["reviewers"]} == {"too_few_ratings"}
    assert (kept.figures["keys"], kept.adjusted) == (None, [])
    people, revision = (cast.reviewer.pk, cast.reviewer2.pk), item.current_id
    severity, _ = severity_figures(_rated(), 3)
    two = [asdict(replace(one, rater=who)) for one, who in zip(severity.reviewers, people, strict=False)]
    keys = key_figures(_chosen())
    assert keys is not None
    answered = [asdict(replace(one, person=who)) for one, who in zip(keys.reviewers, people, strict=False)]
    kept.figures |= {
        "severity": {**asdict(severity), "reviewers": two},
        "adjusted": [{"unit": revision, "n": 2, "raw": 1.5, "adjusted": 1.25, "low": 0.5, "high": 1.75}],
        "keys": {**asdict(keys), "reviewers": answered, "against": [revision]},
    }
    kept.adjusted, kept.counted_at = kept.figures["adjusted"], timezone.now()
    kept.save()
    return item.pk


def test_the_page_shows_severity_fit_and_adjusted_ratings_beside_raw_ones(cast: Cast) -> None:
    item = _modelled(cast)
    address = reverse("review:raters", args=[cast.project.slug])
    assert address in page(cast)
    text = " ".join(browser(cast.manager).get(address).text.split())
    assert "200 ratings of 100 items rated at least twice, 20 stories" in text
    assert text.count("expected 0.") == 2
    assert "1.50</a>" in text
    assert "1.25 (0.50 to 1.75)" in text
    assert reverse("dashboard:item", args=[cast.project.slug, item]) in text
    assert "Answers point to another key for 1 item." in text
    assert "250 blind answers to 50 items, 10 stories" in text


def test_it_says_what_is_missing_and_is_for_managers_alone(cast: Cast) -> None:
    address = reverse("review:raters", args=[cast.project.slug])
    assert "No severity to estimate yet." in browser(cast.manager).get(address).text
    submit_item(cast)
    review(cast, "reviewer")
    count_statistics(project_id=cast.project.pk)
    assert "No severity to estimate yet." in browser(cast.manager).get(address).text
    for who, status in {"reviewer": 403, "verifier": 403, "writer": 403, "outsider": 404}.items():
        assert browser(getattr(cast, who)).get(address).status_code == status


def test_items_whose_answers_point_to_another_key_are_listed_for_who_no_longer_solves_them(
    cast: Cast,
) -> None:
    _modelled(cast)
    address = reverse("review:counted_items", args=[cast.project.slug])
    assert "Answers point to another key" in browser(cast.manager).get(address, {"figure": "other_key"}).text
    shown = browser(cast.manager).get(address, {"figure": "other_key"}).context
    assert [row[0].pk for row in shown["rows"]] != []
    ReviewStatistics.objects.update(figures={"keys": None})
    assert browser(cast.manager).get(address, {"figure": "other_key"}).context["rows"] == []


def test_the_export_has_all_of_it(cast: Cast) -> None:
    item = _modelled(cast)
    client: Client = browser(cast.manager)
    found = client.get(reverse("review:export_statistics", args=[cast.project.slug, "xlsx"]))
    book = openpyxl.load_workbook(io.BytesIO(found.content))
    assert book.sheetnames[-3:] == ["severity", "adjusted ratings", "keys by answers"]
    rows = {sheet: list(book[sheet].iter_rows(values_only=True)) for sheet in book.sheetnames}
    assert list(rows["adjusted ratings"][1]) == [item, 1, 2, 1.5, 1.25, 0.5, 1.75]
    assert len(rows["severity"]) == 3
    _, severity, _, low, high, *_ = rows["severity"][1]
    assert float(str(low)) < float(str(severity)) < float(str(high))
    assert float(str(rows["keys by answers"][1][4])) > 0
