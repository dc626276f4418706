"""Coverage by story: every story, each cell with its items, and the stories behind a count of them."""

from collections.abc import Iterator

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus.models import Story
from dashboard.queries.coverage import MOST_ITEMS, CoveredStories
from dashboard.views.coverage import PAGE
from projects.models import CommonsenseType
from projects.queries import current_types
from tests.dashboard.linked import Cell, cells_on, listed
from tests.dashboard.test_item_list import move
from tests.dashboard.test_overview import browser
from tests.factories import Cast, content, make_project, make_story, submit_item


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def address(cast: Cast, query: str = "") -> str:
    return f"{reverse('dashboard:coverage', args=[cast.project.slug])}?{query}"


def written(cast: Cast) -> list[Story]:
    """Three stories: one with two social items and a temporal one, one with a rejected one, one with none."""
    full, fallen, empty = (make_story(cast) for _number in range(3))
    for types in (("social",), ("social", "temporal")):
        submit_item(cast, story=full, words=content(types=types))
    move(submit_item(cast, story=fallen, words=content(types=("social",))), "rejected", cast)
    return [full, fallen, empty]


def cells(cast: Cast, query: str = "") -> Iterator[Cell]:
    yield from cells_on(browser(cast.manager).get(address(cast, query)).text)


def test_each_cell_leads_to_the_items_that_it_counts(cast: Cast) -> None:
    full, fallen, empty = written(cast)
    client, counted = browser(cast.manager), []
    rows = [str(one.story) for one in CoveredStories(cast.project, list(current_types(cast.project)))[0:9]]
    assert rows == [str(fallen), str(empty), str(full)], "the least covered first"
    for cell in cells(cast):
        if cell.counts and cell.heading != "Types":
            assert listed(client, cell.links[0]) == int(cell.text), cell
            counted.append((cell.row, int(cell.text)))
    assert counted == [(str(full), 2), (str(full), 2), (str(full), 1)]


BEHIND = (
    ("social", 0, 0, 2), ("social", 1, 1, 0), ("social", 2, 2, 1), ("social", 2, MOST_ITEMS, 1),
    ("social", 3, MOST_ITEMS, 0), ("temporal", 1, 1, 1), ("temporal", 1, MOST_ITEMS, 1), ("spatial", 0, 0, 3),
    ("none", 5, 5, 3),
)  # fmt: skip


def test_it_shows_the_stories_with_so_many_items_of_a_type(cast: Cast) -> None:
    written(cast)
    kinds = list(current_types(cast.project))
    for kind, least, most, stories in BEHIND:
        chosen = CommonsenseType.objects.filter(project=cast.project, code=kind).first()
        found = CoveredStories(cast.project, kinds, chosen, least, most)
        assert len(found) == len(found[0:50]) == stories, (kind, least, most)


@pytest.mark.parametrize(("most", "seen"), [(3, 4), (2, 3)])
def test_it_reads_many_stories_once_a_minute(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int, seen: int
) -> None:
    monkeypatch.setattr("dashboard.queries.coverage.COUNTED_ANEW", most)
    full, *_others = written(cast)
    found = CoveredStories(cast.project, list(current_types(cast.project)))
    assert (len(found), len(found[0:50])) == (3, 3)
    make_story(cast)
    assert (len(found), len(found[0:50])) == (seen, seen)
    assert len(found[0:2]) == 2
    assert [one.by_type for one in found[0:50] if one.story == full] == [[2, 0, 1, 0, 0]]


def test_it_is_read_page_by_page_with_as_many_queries_for_any_number(cast: Cast) -> None:
    written(cast)
    client = browser(cast.manager)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(address(cast, "kind=social&least=0&most=0"))
        return len(queries)

    asked()
    few = asked()
    for number in range(PAGE):
        make_story(cast, title=f"Tale {number}")
    assert asked() == few
    pages = Paginator(CoveredStories(cast.project, list(current_types(cast.project))), PAGE)
    assert [len(list(page)) for page in pages] == [PAGE, 3]
    assert sum(cell.heading == "Types" for cell in cells(cast, "page=2")) == 3
