"""Templates, candidates and adoptions through their services."""

from __future__ import annotations

import pytest

from annotation.content import ItemContent, OptionContent
from annotation.models import Item, State
from annotation.services import create_item
from core.errors import Forbidden, Unusable
from generation.models import Adoption, Candidate
from generation.queries.batch import generators_of, sheet, stories_in
from generation.services import create_template, submit_machine_item
from projects.models import Role
from projects.services import set_roles
from tests.factories import make_project, make_story
from tests.generation.bench import Bench, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def drafted(bench: Bench) -> Bench:
    """A bench whose story has its three candidates."""
    work_off(bench.start().waiting)
    return bench


def words(*wrong: OptionContent, key: str = "Steady wins the race.") -> ItemContent:
    return ItemContent(options=(OptionContent(key, is_key=True), *wrong))


def taken(bench: Bench) -> list[OptionContent]:
    found = Candidate.objects.filter(story=bench.story).order_by("pk")
    return [OptionContent(candidate.text, candidate=candidate.pk) for candidate in found]


def test_it_reads_numbered_candidates_with_their_provenance(drafted: Bench) -> None:
    found = Candidate.objects.order_by("position")
    assert [candidate.position for candidate in found] == [0, 1, 2]
    assert {candidate.generator for candidate in found} == {"stub-ok"}
    assert {candidate.template for candidate in found} == {drafted.template}
    assert all(candidate.story_revision == drafted.story.current for candidate in found)


@pytest.mark.parametrize("model", ["stub-json", "stub-think", "stub-truncated"])
def test_it_reads_candidates_out_of_what_models_wrap_round_them(bench: Bench, model: str) -> None:
    work_off(bench.start(endpoints=[bench.add_endpoint(model, model)]).waiting)
    assert Candidate.objects.count() >= 2


def test_it_keeps_no_half_sentence_of_an_answer_that_met_its_limit(bench: Bench) -> None:
    started = bench.start(endpoints=[bench.add_endpoint("short", "stub-cut")])
    work_off(started.waiting)
    call = started.batch.job.calls.get()
    assert call.subject["finish_reason"] == "length"
    assert "3. " in call.raw_response
    assert list(Candidate.objects.values_list("position", flat=True)) == [0, 1]


def test_it_puts_candidates_side_by_side_and_marks_the_likeness(bench: Bench) -> None:
    other = bench.add_endpoint("twin", "stub-ok", parameters={"temperature": 0})
    work_off(bench.start(endpoints=[bench.endpoint, other]).waiting)
    seen = sheet(bench.story)
    assert [endpoint.name for endpoint in seen.endpoints] == ["stub", "twin"]
    ((template, cells),) = seen.rows
    assert template == bench.template
    # the same model says the same: shown once, with the other folded under it, and nothing hidden
    assert [(len(cell.proposals), cell.elsewhere) for cell in cells] == [(3, 0), (0, 3)]
    assert len(seen.proposals) == 6
    for head in cells[0].proposals:
        (like,) = head.alike
        assert like.candidate.text == head.candidate.text
        assert like.fold is not None
        assert (like.fold.code, like.fold.share) == ("equal", 1.0)


def test_it_shows_a_failed_call_in_its_cell(bench: Bench) -> None:
    work_off(bench.start(endpoints=[bench.add_endpoint("locked", "stub-401")]).waiting)
    ((_template, (cell,)),) = sheet(bench.story).rows
    assert [call.reason_code for call in cell.calls] == ["key_wanted"]


def test_it_submits_a_machine_style_item_with_its_provenance(drafted: Bench) -> None:
    content = words(*taken(drafted)[:2], OptionContent("Written by hand."))
    item = submit_machine_item(actor=drafted.cast.writer, story=drafted.story, content=content)
    assert (item.style, item.task, item.state) == ("machine", "moral", State.IN_REVIEW)
    assert Adoption.objects.filter(option__revision__item=item).count() == 2
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("stub-ok",)}


def test_it_writes_no_item_where_an_option_has_no_right_to_be_there(drafted: Bench) -> None:
    wrong = taken(drafted)
    as_key = ItemContent(options=(OptionContent("x", is_key=True, candidate=wrong[0].candidate), *wrong))
    for content in (as_key, words(OptionContent("a"), OptionContent("b"), OptionContent("c"))):
        with pytest.raises(Unusable):
            submit_machine_item(actor=drafted.cast.writer, story=drafted.story, content=content)
    with pytest.raises(Unusable):  # three options where the project wants four
        submit_machine_item(actor=drafted.cast.writer, story=drafted.story, content=words(*wrong[:2]))
    assert not Item.objects.exists()
    assert not Adoption.objects.exists()


def test_it_leaves_drafting_to_writers_and_managers(drafted: Bench) -> None:
    content = words(*taken(drafted))
    for user in (drafted.cast.reviewer, drafted.cast.outsider):
        with pytest.raises(Forbidden):
            submit_machine_item(actor=user, story=drafted.story, content=content)
        with pytest.raises(Forbidden):
            drafted.start(actor=user, again=True)
    set_roles(
        actor=drafted.cast.manager,
        project=drafted.cast.project,
        user=drafted.cast.reviewer,
        roles=[Role.WRITER],
    )
    assert submit_machine_item(actor=drafted.cast.reviewer, story=drafted.story, content=content).pk


def test_it_names_the_generators_of_imported_and_of_human_items(drafted: Bench) -> None:
    content = words(*(OptionContent(f"Wrong {n}.") for n in range(3)))
    item = create_item(
        actor=drafted.cast.writer,
        project=drafted.cast.project,
        story=drafted.story,
        task="moral",
        content=ItemContent(stem="Which?", options=content.options),
    )
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ()}
    Item.objects.filter(pk=item.pk).update(generators=["gpt-3.5", "glm"])
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("glm", "gpt-3.5")}


def test_it_finds_the_stories_that_lack_something(drafted: Bench) -> None:
    fresh = make_story(drafted.cast)
    project = drafted.cast.project
    assert list(stories_in(project, "without")) == [fresh]
    assert list(stories_in(project, "chosen", [fresh.pk])) == [fresh]
    content = words(*taken(drafted))
    submit_machine_item(actor=drafted.cast.writer, story=drafted.story, content=content)
    assert len(stories_in(project, "lacking")) == 2
    project.machine_items_per_story = 1
    assert list(stories_in(project, "lacking")) == [fresh]
    assert len(stories_in(project, "all")) == 2


def test_it_leaves_out_stories_without_a_moral_where_the_prompt_shows_it(bench: Bench) -> None:
    bare = make_story(bench.cast, moral="")
    with pytest.raises(Unusable):
        bench.start(stories=[bare])
    assert bench.start(stories=[bare, bench.story]).calls == 1


def test_it_mixes_no_projects_in_a_batch(bench: Bench) -> None:
    foreign = make_story(make_project())
    with pytest.raises(Unusable) as caught:
        bench.start(stories=[foreign])
    assert set(caught.value.fields) == {"stories"}


def test_it_gives_a_changed_template_its_next_version_and_an_equal_one_none(bench: Bench) -> None:
    def write(text: str) -> int:
        template = create_template(
            actor=bench.cast.writer, project=bench.cast.project, name="One", text=text, wanted=2
        )
        return template.version

    assert [write("{story} a"), write("{story} a"), write("{story} b"), write("{story} a")] == [1, 1, 2, 3]


def test_it_fills_in_the_four_variables_and_nothing_else(bench: Bench) -> None:
    text = "{title}|{n}|{story.__class__}|{{moral}}|{% now %}|{story}"
    template = create_template(
        actor=bench.cast.writer, project=bench.cast.project, name="Odd", text=text, wanted=2
    )
    work_off(bench.start(templates=[template]).waiting)
    prompt = bench.stub.log[0].prompt
    assert "|2|{story.__class__}|{Slow and steady wins.}|{% now %}|A hare laughed" in prompt
