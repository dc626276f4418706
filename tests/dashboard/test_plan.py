"""The writing plan: who opens it, what it shows and saves, and what the desk then says."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import urljoin

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from annotation.models import Reservation, TypeTarget
from annotation.plan import Reason, Suggestion, Target
from annotation.queries.plan import Hint
from annotation.services import name_writers, reserve_story, set_type_targets, take_story
from annotation.views.hint import _why
from corpus.services import confirm_group
from dashboard.forecast import PACE_DAYS
from dashboard.queries.coverage import Coverage, coverage
from dashboard.views.figures import coverage_words
from dashboard.views.plan import RESERVATIONS
from projects.models import CommonsenseType
from tests.dashboard.test_overview import browser
from tests.factories import Cast, content, make_project, make_story, submit_item

CODES = ("social", "biological", "temporal", "spatial", "physical")


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def page_of(cast: Cast, rest: str = "") -> str:
    return f"/p/{cast.project.slug}/plan{rest}"


def sent(**changed: str) -> dict[str, str]:
    whole = {f"{code}-{field}": value for code in CODES for field, value in (("items", "1"), ("share", ""))}
    return whole | {name.replace("_", "-"): value for name, value in changed.items()}


def test_it_is_for_managers(cast: Cast) -> None:
    people = {"manager": 200, "writer": 403, "reviewer": 403, "verifier": 403, "outsider": 404}
    for name, status in people.items():
        client = browser(getattr(cast, name))
        assert client.get(page_of(cast)).status_code == status
        if name != "manager":
            assert client.post(page_of(cast), sent()).status_code == status
            assert client.post(page_of(cast, "/reservations"), {"story": "x"}).status_code == status


def test_it_saves_targets_and_removes_them(cast: Cast) -> None:
    client = browser(cast.manager)
    assert "These values are a suggestion" in client.get(page_of(cast)).content.decode()
    assert client.post(page_of(cast), sent(social_items="2", social_share="40")).status_code == 302
    saved = {one.type.code: (one.per_story, one.share) for one in TypeTarget.objects.select_related("type")}
    assert saved == dict.fromkeys(CODES, (1, 0)) | {"social": (2, 40)}
    assert "These values are a suggestion" not in client.get(page_of(cast)).content.decode()
    assert client.post(page_of(cast), {"clear": "1"}).status_code == 302
    assert not TypeTarget.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"social_items": "4"}, "less than or equal to 3"),
        ({"social_items": "-1"}, "greater than or equal to 0"),
        ({"social_share": "101"}, "less than or equal to 100"),
        ({"social_share": "60", "spatial_share": "41"}, "more than 100 percent"),
    ],
)
def test_it_says_what_is_wrong_with_targets(cast: Cast, wrong: dict[str, str], said: str) -> None:
    answer = browser(cast.manager).post(page_of(cast), sent(**wrong))
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not TypeTarget.objects.exists()


def test_a_large_project_shows_new_targets_and_types_at_once(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.queries.overview_counts.COUNTED_ANEW", 0)
    submit_item(cast, words=content(types=("social",)))
    client = browser(cast.manager)

    def met() -> int:
        found: Coverage = client.get(page_of(cast)).context["coverage"]
        return found.types[0].met

    assert met() == 1
    client.post(page_of(cast), sent(social_items="2"))
    assert met() == 0
    client.post(page_of(cast), {"clear": "1"})
    assert met() == 1
    CommonsenseType.objects.filter(project=cast.project, code="physical").update(retired_at=timezone.now())
    assert len(client.get(page_of(cast)).context["coverage"].types) == len(CODES) - 1


def test_it_counts_the_stories_that_meet_the_targets(cast: Cast) -> None:
    full, poor, _empty, wording = (make_story(cast) for _ in range(4))
    for code, story in (("social", full), ("social", wording), ("temporal", full)):
        submit_item(cast, story=story, words=content(types=(code,)))
    confirm_group(actor=cast.manager, project=cast.project, stories=[full.pk, wording.pk])
    submit_item(cast, story=poor, words=content(types=("social", "temporal")))
    asked: list[tuple[dict[str, Target], int, int, int]] = [
        ({}, 0, 2, 11),  # an item of every type
        ({"social": Target(1), "temporal": Target(1)}, 2, 2, 2),
        ({"social": Target(2), "temporal": Target(1)}, 1, 1, 4),
        ({"social": Target(3)}, 0, 0, 6),
        ({"social": Target(0, 50)}, 3, 3, 0),  # nothing is asked of a story
    ]
    for targets, met, social, missing in asked:
        set_type_targets(actor=cast.manager, project=cast.project, targets=targets)
        found = coverage(cast.project)
        assert (found.met, found.types[0].met, found.stories) == (met, social, 3)
        assert found.missing == missing
    assert [one.items for one in found.types] == [3, 0, 2, 0, 0]
    least = {one.story: (one.by_type, one.items) for one in found.least}
    assert least[full] == ([2, 0, 1, 0, 0], 3)
    assert wording not in least


def test_it_says_when_stories_could_meet_the_targets(cast: Cast) -> None:
    submit_item(cast, story=make_story(cast), words=content(types=("social",)))
    found = coverage(cast.project)
    assert coverage_words(found, [2] * PACE_DAYS).startswith(
        "At least 4 items are missing from the targets. At"
    )
    assert "No forecast yet" in coverage_words(found, [0] * PACE_DAYS)
    assert coverage_words(replace(found, missing=0), [0] * PACE_DAYS) == "All stories meet the targets."
    client = browser(cast.manager)
    assert "are missing from the targets" not in client.get(page_of(cast)).content.decode()
    client.post(page_of(cast), sent())
    assert "At least 4 items are missing from the targets." in client.get(page_of(cast)).content.decode()


def test_it_reserves_a_story_by_id_or_title_and_frees_it(cast: Cast) -> None:
    story, client = make_story(cast, title="The Fox"), browser(cast.manager)
    for typed in (story.ref, "the fox"):
        answer = client.post(
            page_of(cast, "/reservations"), {"story": typed, "kind": "temporal", "writer": cast.writer.pk}
        )
        assert answer.status_code == 302
    made = Reservation.objects.get()
    assert (made.story, made.type and made.type.code, made.writer) == (story, "temporal", cast.writer)
    page = client.get(page_of(cast)).content.decode()
    assert "The Fox</span> → temporal · Wen Writer" in page.replace("Temporal", "temporal")
    foreign = browser(make_project().manager)
    assert foreign.post(page_of(cast, f"/reservations/{made.pk}/end")).status_code == 404
    assert client.post(page_of(cast, f"/reservations/{made.pk}/end")).status_code == 302
    assert client.post(page_of(cast, f"/reservations/{made.pk}/end")).status_code == 404


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"story": "Nowhere", "kind": "social"}, "No story has this title or ID."),
        ({"story": "Twins", "kind": "social"}, "Several stories have this title."),
        ({"story": "The Fox"}, "Select a type, a writer, or both."),
        ({"story": "The Fox", "kind": "musical"}, "Select a valid choice"),
    ],
)
def test_it_says_why_a_story_cannot_be_reserved(cast: Cast, asked: dict[str, str], said: str) -> None:
    for title in ("The Fox", "Twins", "Twins"):
        make_story(cast, title=title)
    answer = browser(cast.manager).post(page_of(cast, "/reservations"), asked)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Reservation.objects.exists()


def test_a_refused_reservation_leaves_a_page_whose_links_lead_on(cast: Cast) -> None:
    make_story(cast, title="The Fox")
    client = browser(cast.manager)
    answer = client.post(page_of(cast, "/reservations"), {"story": "Nowhere", "kind": "social"})
    page = answer.content.decode()
    links = [unescape(link) for link in re.findall(r'href="([^"]*story=[^"]*)"', page)]
    assert links
    for link in links:
        assert client.get(urljoin(page_of(cast, "/reservations"), link)).status_code == 200
    assert re.search(rf'<a [^>]*href="{page_of(cast)}"[^>]*aria-current="page"', page)


def test_it_pages_through_reservations(cast: Cast) -> None:
    kind = CommonsenseType.objects.get(project=cast.project, code="temporal")
    for _number in range(RESERVATIONS + 1):
        reserve_story(actor=cast.manager, story=make_story(cast), kind=kind)
    client = browser(cast.manager)
    for answer in (
        client.get(page_of(cast)), client.post(page_of(cast, "/reservations"), {"story": "Nowhere"}),
    ):  # fmt: skip
        page = answer.content.decode()
        assert f"1 to {RESERVATIONS} of {RESERVATIONS + 1}" in page
        assert f'href="{page_of(cast)}?page=2#reservations"' in page
    page = client.get(page_of(cast, "?page=2")).content.decode()
    assert f"{RESERVATIONS + 1} to {RESERVATIONS + 1} of {RESERVATIONS + 1}" in page
    assert page.count('/end"') == 1


def test_it_says_how_many_meet_the_targets_only_where_some_are_set(cast: Cast) -> None:
    submit_item(cast)
    client = browser(cast.manager)
    pages = (page_of(cast), reverse("dashboard:overview", args=[cast.project.slug]))
    for is_set in (False, True):
        if is_set:
            set_type_targets(actor=cast.manager, project=cast.project, targets={"social": Target()})
        for page in pages:
            page_text = client.get(page).content.decode()
            assert ("Targets met in" in page_text, "meet all targets" in page_text) == (
                is_set,
                is_set and page == pages[0],
            )


def test_the_desk_says_what_to_write_next_and_why(cast: Cast) -> None:
    story = take_story(actor=cast.writer, story=make_story(cast)).story
    desk, sheet = f"/p/{cast.project.slug}/write", f"/p/{cast.project.slug}/write/story/{story.pk}"
    client = browser(cast.writer)
    assert "Write next" not in client.get(desk).content.decode() + client.get(sheet).content.decode()
    for code in CODES[:4]:
        submit_item(cast, story=make_story(cast), words=content(types=(code,)))
    submit_item(cast, story=story)
    set_type_targets(actor=cast.manager, project=cast.project, targets={code: Target() for code in CODES})
    for page in (desk, sheet):
        page_text = client.get(page).content.decode()
        assert (
            "Write next: <strong>Physical</strong> (missing here, and you have written it least)" in page_text
        )
    assert "Write next" not in client.get(f"{sheet}?task=moral").content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_each_reason_has_words(cast: Cast, language: str) -> None:
    kind = CommonsenseType.objects.filter(project=cast.project)[0]
    with translation.override(language):
        said = [_why(Hint(kind, Suggestion(kind.pk, reason, 12), Target(1, 40))) for reason in Reason]
    assert len(set(said)) == len(Reason)
    assert all(figure in said[-1].replace(" %", "%") for figure in ("12%", "40%"))


def test_it_asks_the_database_as_often_for_many_as_for_few(cast: Cast) -> None:
    set_type_targets(actor=cast.manager, project=cast.project, targets={"social": Target(1, 40)})
    manager, writer, counts = browser(cast.manager), browser(cast.writer), []
    kind = CommonsenseType.objects.get(project=cast.project, code="temporal")
    for size in (2, 3):
        for _number in range(size):
            story = make_story(cast)
            name_writers(actor=cast.manager, story=story, writers=[cast.writer])
            submit_item(cast, story=story)
            reserve_story(actor=cast.manager, story=story, kind=kind, writer=cast.writer2)
        pages = [(manager, page_of(cast)), (writer, f"/p/{cast.project.slug}/write")]
        counts.append([_queries(client, page) for client, page in pages])
    assert counts[0] == counts[1]


def _queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)
