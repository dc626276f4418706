"""Stories counted as one by hand, or many groups at once, and taken back where nobody has decided since."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from core.errors import Conflict
from corpus.models import SimilarPair, Story, StoryGroup
from corpus.queries import suggestions
from corpus.services import confirm_group, find_similar, reject_group, split_group
from dashboard.models import BulkAction, Verb
from dashboard.services import order_bulk, undo_bulk
from tests.factories import Cast, make_project, make_story
from tests.projects.pages import browser

CROW = (
    "A crow who was thirsty found a tall jar with a little water in it. She dropped one pebble after another"
    " into the jar until the water rose, and then she drank and flew home."
)
FOX = "A fox saw grapes that hung too high for him. He leapt and leapt, then went off and called them sour."

Standing = tuple[list[set[int]], list[tuple[int, ...]], set[tuple[int, int]]]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def tales(cast: Cast) -> list[int]:
    """Three wordings of the crow and two of the fox, after a search, and a tale like none of them."""
    worded = (CROW, CROW.replace("tall", "very tall"), CROW.replace("little", "bit of"))
    foxes = (FOX, FOX.replace("too high", "much too high"))
    texts = (*worded, *foxes, "Two goats met on a bridge.")
    made = [make_story(cast, title=text.split()[1], text=text).pk for text in texts]
    find_similar(project_id=cast.project.pk)
    return made


def standing(cast: Cast) -> Standing:
    """What is grouped, what is suggested, and which pairs are rejected."""
    groups = StoryGroup.objects.filter(project=cast.project).order_by("pk")
    rejected = SimilarPair.objects.filter(project=cast.project, rejected_at__isnull=False)
    return (
        [set(group.stories.values_list("pk", flat=True)) for group in groups],
        sorted(one.stories for one in suggestions(cast.project)),
        set(rejected.values_list("first", "second")),
    )


def group(cast: Cast, *stories: int) -> BulkAction:
    return order_bulk(
        actor=cast.manager, project=cast.project, listing="stories", verb=Verb.GROUP, rows=stories
    )


def undo(cast: Cast, done: BulkAction) -> BulkAction:
    return undo_bulk(actor=cast.manager, bulk=done)


def test_it_counts_chosen_stories_as_one_and_takes_it_back(cast: Cast, tales: list[int]) -> None:
    crow, _second, _third, fox, _other, goats = tales
    before = standing(cast)
    done = group(cast, goats, crow, fox)
    assert [story for story, _how in done.changed] == [crow, fox, goats]
    assert standing(cast)[0] == [{goats, crow, fox}]
    undo(cast, done)
    assert standing(cast) == before


def test_it_joins_groups_and_parts_them_again_under_their_numbers(cast: Cast, tales: list[int]) -> None:
    crow, second, third, fox, other, goats = tales
    one = confirm_group(actor=cast.manager, project=cast.project, stories=[crow, second], others=[third])
    two = confirm_group(actor=cast.manager, project=cast.project, stories=[fox, other])
    before = standing(cast)
    assert before[2] == {(crow, third), (second, third)}
    done = group(cast, third, crow, fox, goats)
    assert standing(cast) == ([set(tales)], [], set())
    undo(cast, done)
    assert standing(cast) == before
    assert Story.objects.get(pk=crow).group_id == one.pk
    assert Story.objects.get(pk=other).group_id == two.pk


def test_it_leaves_stories_whose_group_has_changed_since(cast: Cast, tales: list[int]) -> None:
    crow, second, third, fox, other, goats = tales
    done = group(cast, crow, goats)
    split_group(actor=cast.manager, project=cast.project, group=StoryGroup.objects.get().pk)
    confirm_group(actor=cast.manager, project=cast.project, stories=[goats, fox])
    back = undo(cast, done)
    assert back.changed == []
    assert standing(cast)[0] == [{goats, fox}]
    again = group(cast, crow, second, third)
    reject_group(actor=cast.manager, project=cast.project, stories=[fox, other])
    assert [story for story, _how in undo(cast, again).changed] == [crow, second, third]
    assert standing(cast)[0] == [{goats, fox}]
    assert (fox, other) in standing(cast)[2]


def test_it_refuses_one_story_and_leaves_out_those_of_other_projects(cast: Cast, tales: list[int]) -> None:
    foreign = make_story(make_project(), text=CROW).pk
    with pytest.raises(Conflict, match="Select at least two stories"):
        group(cast, tales[0], foreign)
    assert standing(cast)[0] == []


def post(cast: Cast, route: str, *about: object, **sent: Any) -> Any:
    return browser(cast.manager).post(reverse(route, args=[cast.project.slug, *about]), sent, follow=True)


def test_it_is_asked_for_in_the_list_and_undone_there(cast: Cast, tales: list[int]) -> None:
    rows = [tales[0], tales[5]]
    asked = post(cast, "dashboard:bulk", "stories", verb="group", row=rows).content.decode()
    assert "Count 2 stories as one story" in asked
    refused = post(cast, "dashboard:bulk", "stories", verb="group", row=rows[:1], sure="1", n="1")
    assert "Select at least two stories." in refused.content.decode()
    seen = post(cast, "dashboard:bulk", "stories", verb="group", row=rows, sure="1", n="2").content.decode()
    assert "2 stories grouped." in seen
    story = browser(cast.writer).get(reverse("corpus:story", args=[cast.project.slug, tales[0]]))
    assert reverse("corpus:story", args=[cast.project.slug, tales[5]]) in story.content.decode()
    back = post(cast, "dashboard:undo_bulk", BulkAction.objects.get().pk)
    assert back.redirect_chain[0][0] == reverse("dashboard:stories", args=[cast.project.slug])
    assert standing(cast)[0] == []


def test_it_confirms_all_that_a_page_shows_less_what_is_not_ticked(cast: Cast, tales: list[int]) -> None:
    crow, second, third, fox, other, _goats = tales
    before = standing(cast)
    assert before[:2] == ([], [(crow, second, third), (fox, other)])
    shown = [f"{crow} {second} {third} ", f"{fox} {other} "]
    page = browser(cast.manager).get(reverse("corpus:similar", args=[cast.project.slug])).content.decode()
    assert [f'name="shown" value="{one}"' in page for one in shown] == [True, True]
    assert "Confirm all 2 shown" in page
    seen = post(cast, "dashboard:confirm_groups", shown=shown, story=[crow, third, fox, other])
    assert "5 stories grouped." not in seen.content.decode()
    assert "4 stories grouped." in seen.content.decode()
    assert standing(cast) == ([{crow, third}, {fox, other}], [], {(crow, second), (second, third)})
    back = post(cast, "dashboard:undo_bulk", BulkAction.objects.get().pk)
    assert back.redirect_chain[0][0] == reverse("corpus:similar", args=[cast.project.slug])
    assert standing(cast) == before
    nothing = post(cast, "dashboard:confirm_groups", shown=shown, story=[crow, fox])
    assert "Select at least two stories." in nothing.content.decode()


def test_a_suggestion_that_grew_meanwhile_is_confirmed_as_it_was_shown(cast: Cast, tales: list[int]) -> None:
    late = make_story(cast, title="crow", text=CROW.replace("pebble", "small pebble")).pk
    find_similar(project_id=cast.project.pk)
    post(cast, "dashboard:confirm_groups", shown=" ".join(map(str, tales[:3])), story=tales[:3])
    assert standing(cast)[0] == [set(tales[:3])]
    assert standing(cast)[1][0] == (*tales[:3], late)
