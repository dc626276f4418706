"""Wordings of one story: suggested by a search, decided by a manager, and counted as one story."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.models import Item, KeyExposure
from annotation.queries.exposure import SEEN
from core.errors import Forbidden, Hidden, Unusable
from corpus.models import SimilarPair, Story, StoryGroup
from corpus.queries import group_names, rights_of, suggestions, what_is_grouped
from corpus.services import (
    confirm_group,
    create_stories,
    find_similar,
    reject_group,
    reopen_pair,
    split_group,
)
from parable.commands.item_files import read_files
from parable.formats import read_items
from parable.formats.records import ItemRecord, StoryRecord
from parable.kinds import codes
from parable.psychometrics.results.sheets import Items, item_fact
from parable.quality.gates import ItemSet, judge
from parable.quality.gates.split_leak import SplitLeak
from parable.quality.story_groups import LEAST, join_groups, name_stories, similar_pairs, similarity
from projects.models import Project
from release.assembly import AssemblyItem, assemble
from release.assembly.assembly_items import by_content
from release.assembly.recipe import Recipe
from release.assembly.splits import draw_splits
from release.models import Release, ReleaseDraft, ReleaseItem
from release.queries.draft import contents
from release.queries.release import frozen_items, preview
from release.services import rebuild_release
from review.queries.statistics import rated_rows, solved_rows
from tests.corpus.commands import run
from tests.factories import Cast, make_project, make_story, submit_item
from tests.release.made import bring, built, record
from tests.release.test_build_command import ALLOW_PUBLISHED, PUBLISHED, build, crmus_project, records_in
from tests.review.test_statistics import review
from tests.work import work_off

CROW = (
    "A crow who was thirsty found a tall jar with a little water in it. She dropped one pebble after another"
    " into the jar until the water rose, and then she drank and flew home."
)
SPACED = CROW.replace("thirsty found", "thirsty  found")
WORDED = CROW.replace("thirsty", "very thirsty")
AGREED = ("story_drift", "split_leak")
"""The gates by which our audit of our files must say what the build said."""
FOX = "A fox saw grapes that hung too high for him. He leapt and leapt, then went off and called them sour."


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def crows(cast: Cast) -> list[int]:
    """Three wordings of one fable, beside another fable, after a search."""
    made = [make_story(cast, title="The Crow", text=text) for text in (CROW, SPACED, WORDED, FOX)]
    find_similar(project_id=cast.project.pk)
    return [story.pk for story in made[:3]]


def suggested(project: Project) -> list[tuple[int, ...]]:
    return [one.stories for one in suggestions(project)]


def members(project: Project) -> list[set[int]]:
    return [
        set(group.stories.values_list("pk", flat=True))
        for group in StoryGroup.objects.filter(project=project).order_by("pk")
    ]


def test_it_joins_pairs_and_keeps_apart_what_was_decided() -> None:
    assert join_groups([(1, 2), (3, 4), (2, 3)]) == [[1, 2, 3, 4]]
    assert join_groups([(1, 2), (2, 3)], apart=[(3, 1)]) == [[1, 2]]
    assert join_groups([(3, 9)], together=[[1, 2, 3]]) == [[1, 2, 3, 9]]
    assert join_groups([(3, 9)], together=[[1, 2, 3]], apart=[(9, 1)]) == [[1, 2, 3]]


def test_it_gives_near_equal_stories_of_a_file_one_id_and_leaves_equal_ones() -> None:
    items = [
        of_story(1, CROW, story_id=None),
        of_story(2, WORDED, story_id="b"),
        of_story(3, FOX, story_id="c"),
        of_story(4, FOX, story_id="d"),
    ]
    named, suspected = name_stories(items)
    assert [item.story_id for item in named] == ["b", "b", "c", "d"]
    assert suspected == {}


def test_it_suspects_near_equal_stories_of_two_ids_unless_somebody_has_decided() -> None:
    items = [of_story(number, text) for number, text in enumerate((CROW, WORDED, SPACED, FOX))]
    assert name_stories(items) == (items, dict.fromkeys(("tale-0", "tale-1", "tale-2"), "tale-0"))
    assert name_stories(items, decided=("tale-0", "tale-1")) == (
        items,
        dict.fromkeys(("tale-1", "tale-2"), "tale-1"),
    )
    assert name_stories(items, decided=("tale-0", "tale-1", "tale-2")) == (items, {})


def test_it_suggests_what_drifts_and_equal_titles_with_similar_text(cast: Cast, crows: list[int]) -> None:
    assert suggested(cast.project) == [tuple(crows)]
    half = CROW[:60] + " and the rest of this is another telling, in words of its own from here to the end."
    retold = make_story(cast, title="the crow!", text=half)
    find_similar(project_id=cast.project.pk)
    assert similarity(CROW, half) < LEAST
    assert suggested(cast.project) == [(*crows, retold.pk)]


def test_it_keeps_a_confirmed_group_and_suggests_what_comes_later(cast: Cast, crows: list[int]) -> None:
    before = what_is_grouped(cast.project)
    confirm_group(actor=cast.manager, project=cast.project, stories=crows)
    assert what_is_grouped(cast.project) != before
    find_similar(project_id=cast.project.pk)
    assert (members(cast.project), suggested(cast.project)) == ([set(crows)], [])
    late = make_story(cast, title="The Crow", text=CROW.replace("tall", "very tall"))
    find_similar(project_id=cast.project.pk)
    assert suggested(cast.project) == [(*crows, late.pk)]
    reject_group(actor=cast.manager, project=cast.project, stories=[*crows, late.pk])
    find_similar(project_id=cast.project.pk)
    assert (members(cast.project), suggested(cast.project)) == ([set(crows)], [])


def test_it_takes_a_story_out_of_a_group_and_brings_it_back(cast: Cast, crows: list[int]) -> None:
    one, two, three = crows
    confirm_group(actor=cast.manager, project=cast.project, stories=crows)
    confirm_group(actor=cast.manager, project=cast.project, stories=[one, two], others=crows)
    find_similar(project_id=cast.project.pk)
    assert (members(cast.project), suggested(cast.project)) == ([{one, two}], [])
    for pair in SimilarPair.objects.exclude(rejected_at=None):
        assert three in (pair.first_id, pair.second_id)
        reopen_pair(actor=cast.manager, project=cast.project, pair=pair.pk)
    assert suggested(cast.project) == [tuple(crows)]


def test_it_splits_a_group_and_drops_one_that_is_too_small(cast: Cast, crows: list[int]) -> None:
    group = confirm_group(actor=cast.manager, project=cast.project, stories=crows)
    split_group(actor=cast.manager, project=cast.project, group=group.pk)
    assert (members(cast.project), suggested(cast.project)) == ([], [])
    one, two, three = crows
    fox = Story.objects.exclude(pk__in=crows).get().pk
    confirm_group(actor=cast.manager, project=cast.project, stories=[one, two])
    confirm_group(actor=cast.manager, project=cast.project, stories=[one, fox], others=[two])
    assert members(cast.project) == [{one, fox}]
    assert three not in members(cast.project)[0]


def test_it_refuses_one_story_strangers_and_other_projects(cast: Cast, crows: list[int]) -> None:
    foreign = make_story(make_project(), text=CROW).pk
    with pytest.raises(Unusable):
        confirm_group(actor=cast.manager, project=cast.project, stories=crows[:1], others=crows)
    with pytest.raises(Hidden):
        confirm_group(actor=cast.manager, project=cast.project, stories=[crows[0], foreign])
    with pytest.raises(Forbidden):
        confirm_group(actor=cast.writer, project=cast.project, stories=crows)
    with pytest.raises(Hidden):
        split_group(actor=cast.manager, project=cast.project, group=0)
    assert members(cast.project) == []


def test_an_import_says_what_it_suspects(cast: Cast, tmp_path: Path) -> None:
    make_story(cast, title="The Crow", text=CROW)
    rows = [{"id": name, "title": name, "text": text} for name, text in (("crow", WORDED), ("fox", FOX))]
    file = tmp_path / "stories.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = run("import_stories", file, "--project", cast.project.slug, "--dry-run")
    assert "1 new story is similar to another." in said.out
    client = Client()
    client.force_login(cast.manager)
    page = f"/p/{cast.project.slug}/stories/import"
    asked = client.post(page, {"file": SimpleUploadedFile("s.jsonl", file.read_bytes())})
    work_off()
    preview_page = client.get(asked["Location"]).content.decode()
    assert "1 new story is similar to another." in preview_page
    assert preview_page.count("similar to “The Crow”") == 1
    client.post(page, {"upload": asked["Location"].split("upload=")[1]})
    work_off()
    assert "1 group of similar stories to decide." in client.get(asked["Location"]).content.decode()
    file.write_text(
        json.dumps({"id": "owl", "title": "owl", "text": f"{FOX} So he said. "}) + "\n", encoding="utf-8"
    )
    said = run("import_stories", file, "--project", cast.project.slug)
    notes = [(note["row"], note["field"], note["message"]) for note in said.data["notes"]]
    assert notes == [(1, "text", "similar to “fox”"), (1, "text", "outer white space removed")]
    assert (said.data["created"], said.data["suspected"]) == (1, 1)
    assert "row 1, text: similar to “fox”" in said.out
    assert run("import_stories", file, "--project", cast.project.slug).data["suspected"] == 0


def test_an_import_of_items_has_its_stories_compared(cast: Cast) -> None:
    bring(cast, [of_story(1, CROW), of_story(2, WORDED)])
    work_off()
    assert len(suggested(cast.project)) == 1


def test_its_page_costs_the_same_however_many_groups(cast: Cast, crows: list[int]) -> None:
    client = Client()
    client.force_login(cast.manager)
    page = f"/p/{cast.project.slug}/stories/similar"
    client.get(page)
    with CaptureQueriesContext(connection) as few:
        client.get(page)
    for name in ("fox", "jackal", "badger", "weasel"):
        text = " ".join(f"{name} {word} {name[::-1]}" for word in FOX.split())
        make_story(cast, text=text)
        make_story(cast, text=f"{text} So ends the tale.")
    find_similar(project_id=cast.project.pk)
    assert len(suggested(cast.project)) == 5
    with CaptureQueriesContext(connection) as many:
        client.get(page)
    assert len(many) == len(few)


def test_it_is_decided_on_one_page(cast: Cast, crows: list[int]) -> None:
    client = Client()
    client.force_login(cast.manager)
    page = f"/p/{cast.project.slug}/stories/similar"

    def decide(decision: str, **said: Any) -> str:
        sent = {"decision": decision, "shown": " ".join(map(str, crows)), **said}
        return client.post(f"{page}/decision", sent, follow=True).content.decode()

    assert "Suggested 1" in client.get(page).content.decode()
    assert "Select at least two stories" in decide(f"confirm-{crows[0]}", story=crows[:1])
    assert "2 stories now count as one" in decide(f"confirm-{crows[0]}", story=crows[:2])
    response = client.get(page, {"show": "confirmed"}).content.decode()
    assert "Confirmed by" in response
    split = f"split-{StoryGroup.objects.get().pk}"
    other = client.get(f"/p/{cast.project.slug}/stories/{crows[0]}").content.decode()
    assert "Other wordings" in other
    assert split in other
    assert "About this story" in decide(split, back=crows[0])
    assert "Other wordings" not in client.get(f"/p/{cast.project.slug}/stories/{crows[0]}").content.decode()
    assert "Rejected by" in client.get(page, {"show": "rejected"}).content.decode()
    assert members(cast.project) == []
    assert decide("nonsense")


def test_its_splitting_is_offered_to_managers_alone(cast: Cast, crows: list[int]) -> None:
    confirm_group(actor=cast.manager, project=cast.project, stories=crows)
    client = Client()
    client.force_login(cast.writer)
    page = client.get(f"/p/{cast.project.slug}/stories/{crows[0]}").content.decode()
    assert "Other wordings" in page
    assert "Split group" not in page


def of_story(number: int, text: str, **changes: Any) -> ItemRecord:
    return replace(record(number, 0), story=text, **changes)


@pytest.mark.parametrize("decision", ["", "confirm", "reject"])
def test_it_releases_a_group_as_one_story(cast: Cast, tmp_path: Path, decision: str) -> None:
    bring(cast, [of_story(1, CROW), of_story(2, WORDED), of_story(3, FOX)])
    find_similar(project_id=cast.project.pk)
    is_confirmed = decision == "confirm"
    if decision:
        decide = confirm_group if is_confirmed else reject_group
        decide(actor=cast.manager, project=cast.project, stories=suggested(cast.project)[0])
    allowed = ("rights", "key_position", "split_leak")
    release = built(cast, recipe=Recipe(split="item", dev_share="0.5", allow=allowed, reason="A test."))
    items = ReleaseItem.objects.filter(release=release)
    counted = Items(item_fact(one.item()) for one in frozen_items(release)).story
    assert len(set(counted.tolist())) == (2 if is_confirmed else 3)  # what every interval draws from
    assert set(items.values_list("record__story_id", flat=True)) == (
        {"tale-1", "tale-3"} if is_confirmed else {"tale-1", "tale-2", "tale-3"}
    )
    assert release.manifest["stories"] == (2 if is_confirmed else 3)
    draft = ReleaseDraft.objects.create(
        project=cast.project, version="1.1.0", seed="7", recipe=release.recipe, created_by=cast.manager
    )
    assert contents(draft).stories == preview(cast.project).stories == release.manifest["stories"]
    # undecided or confirmed, two texts are two
    assert drift(release.manifest["gates"]) == (("ok", 0) if decision == "reject" else ("warning", 1))
    for name, file in rebuild_release(release=release).files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(file.content)
    ours = audited_gates(sorted(tmp_path.glob("*/commonsense.jsonl")))
    for gate in AGREED:
        assert said_by(gate, ours) == said_by(gate, release.manifest["gates"])
    assert audited(sorted(tmp_path.glob("crmus/*_CR.json"))) == drift(release.manifest["gates"])
    splits = dict(items.values_list("record__story", "split"))
    if splits[CROW] != splits[WORDED]:
        leak = said_by("split_leak", release.manifest["gates"])
        assert leak["verdict"] == {"": "warning", "confirm": "error", "reject": "ok"}[decision]


def test_it_finds_one_story_on_both_sides_of_a_split() -> None:
    items = (
        of_story(1, CROW, split="dev"),
        of_story(2, WORDED, split="test", question="What did she drop?"),
        of_story(3, FOX, split="test"),
    )
    unsearched = SplitLeak().judge(ItemSet(items))[0]
    assert (unsearched.verdict, unsearched.items) == ("warning", (items[1].id,))
    rejected = SplitLeak().judge(ItemSet(items, suspected={}))[0]
    assert (rejected.verdict, rejected.figure) == ("ok", 0)
    undecided = SplitLeak().judge(ItemSet(items, suspected={"tale-1": "tale-1", "tale-2": "tale-1"}))[0]
    assert (undecided.verdict, undecided.items) == ("warning", (items[1].id,))
    grouped = tuple(replace(item, story_id="tale-1") if item.story == WORDED else item for item in items)
    confirmed = SplitLeak().judge(ItemSet(grouped))[0]
    assert (confirmed.verdict, confirmed.items, confirmed.detail) == ("error", (items[1].id,), {"stories": 1})


def test_it_takes_the_rights_of_a_group_together(cast: Cast, crows: list[int]) -> None:
    confirm_group(actor=cast.manager, project=cast.project, stories=crows)
    names = group_names(cast.project)
    name = min(Story.objects.filter(pk__in=crows).values_list("ref", flat=True))
    assert set(names.values()) == {name}
    Story.objects.filter(pk=crows[0]).update(rights="")
    assert rights_of(Story.objects.all(), names)[name] == ""
    Story.objects.filter(pk=crows[0]).update(rights="CC0")
    assert rights_of(Story.objects.all(), names)[name] == "CC BY 4.0; CC0"


def test_it_leaves_what_was_released_in_its_split() -> None:
    assembly_items = by_content(AssemblyItem(n, of_story(n, CROW, story_id="crow")) for n in range(4))
    splits = draw_splits(
        assembly_items, rule="story", share=Fraction(1, 2), seed="7", unchanged={0: "dev", 1: "test"}
    )
    assert splits[:2] == ["dev", "test"]
    assert len(set(splits[2:])) == 1


def test_it_counts_answers_and_ratings_about_a_group_as_one_story(cast: Cast) -> None:
    stories = [make_story(cast, title="The Crow", text=text) for text in (CROW, WORDED, FOX)]
    for story in stories:
        submit_item(cast, story=story)
        review(cast, "reviewer")

    def counted() -> tuple[int, int]:
        rated, solved = rated_rows(cast.project), solved_rows(cast.project)
        return len({row.story for row in rated}), len({row.story for row in solved})

    assert counted() == (3, 3)
    confirm_group(actor=cast.manager, project=cast.project, stories=[story.pk for story in stories[:2]])
    assert counted() == (2, 2)


def test_it_takes_the_moral_of_one_wording_for_the_moral_of_all(cast: Cast, crows: list[int]) -> None:
    KeyExposure.objects.create(user=cast.reviewer, story_id=crows[0], task="moral")
    statement = f"SELECT {SEEN.format(item='0', story='%(story)s', task='%(task)s')}"

    def exposed(story: int, task: str) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"user": cast.reviewer.pk, "story": story, "task": task})
            return bool(cursor.fetchone()[0])

    assert not exposed(crows[1], "moral")
    confirm_group(actor=cast.manager, project=cast.project, stories=crows[:2])
    assert exposed(crows[1], "moral")
    assert not exposed(crows[1], "commonsense")
    assert not exposed(crows[2], "moral")


def fables(folder: Path) -> dict[str, str]:
    """The fable of each text, as the converted set was checked by hand."""
    lines = (folder / "crmus" / "stories.jsonl").read_text(encoding="utf-8").splitlines()
    known = [json.loads(line) for line in lines]
    texts = [(one["id"], text) for one in known for text in (one["text"], *one.get("text_variants", ()))]
    return {text.strip(): fable for fable, text in texts}


def test_it_suggests_the_fables_of_the_published_set(cast: Cast, shared_data: Path) -> None:
    known, wanted = fables(shared_data), dict[str, StoryRecord]()
    for path in sorted((shared_data / "crmus" / "published_format").iterdir()):
        for item in read_items(path, name=path.name).records:
            text = item.story.strip()
            wanted.setdefault(text, StoryRecord("", item.title, text, language="zh"))
    made = create_stories(actor=cast.manager, project=cast.project, wanted=list(wanted.values()))
    find_similar(project_id=cast.project.pk)
    fable_of = {story.pk: known[text] for story, text in zip(made, wanted, strict=True)}
    groups = suggested(cast.project)

    assert (len(made), len(set(fable_of.values()))) == (316, 307)
    assert sum(map(len, groups)) == len({pk for group in groups for pk in group})
    wrong = [group for group in groups if len({fable_of[pk] for pk in group}) > 1]
    assert wrong == []
    alone = set(fable_of) - {pk for group in groups for pk in group}
    left = [fable_of[pk] for pk in alone] + [fable_of[group[0]] for group in groups]
    assert len(left) == len(set(left)) == 307

    for group in groups:
        confirm_group(actor=cast.manager, project=cast.project, stories=group)
    names, texts = group_names(cast.project), dict(zip((story.pk for story in made), wanted, strict=True))
    assembly_items = [
        AssemblyItem(pk, of_story(pk, text, story_id=names.get(pk, f"s{pk}"))) for pk, text in texts.items()
    ]
    placed = assemble(assembly_items, rule="story", share=Fraction(1, 5), seed="7")
    sides = {one.item.handle: one.split for one in placed}
    assert Counter(sides.values())["dev"] >= 60
    closest = similar_pairs(list(texts.values()), most=10_000)
    sides_of = [{sides[list(texts)[place]] for place in pair[:2]} for pair in closest]
    assert len(closest) >= 9  # the wordings themselves, each pair on one side
    assert [pair for pair, both in zip(closest, sides_of, strict=True) if len(both) > 1] == []


def said_by(name: str, gates: list[dict[str, Any]]) -> dict[str, Any]:
    return next(gate for gate in gates if gate["id"] == name)


def drift(gates: list[dict[str, Any]]) -> tuple[str, object]:
    found = said_by("story_drift", gates)
    return found["verdict"], found["figure"]


def audited_gates(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [result.as_json() for result in judge(read_files(paths).items)]


def audited(paths: Iterable[Path]) -> tuple[str, object]:
    return drift(audited_gates(paths))


@pytest.mark.django_db
@pytest.mark.drill
def test_it_splits_the_published_set_by_fable(shared_data: Path, tmp_path: Path) -> None:
    paths = [shared_data / "crmus" / "published_format" / name for name in PUBLISHED]
    published = audited(paths)
    project = crmus_project(shared_data, *PUBLISHED)
    manager = User.objects.get(name="Mia")
    find_similar(project_id=project.pk)
    with transaction.atomic():  # nobody has decided yet
        build(project, tmp_path / "undecided", *ALLOW_PUBLISHED)
        assert drift(Release.objects.get().manifest["gates"]) == published
        transaction.set_rollback(True)
    groups = suggested(project)
    for group in groups:
        confirm_group(actor=manager, project=project, stories=group)

    folder = tmp_path / "confirmed"
    assert build(project, folder, *ALLOW_PUBLISHED).code == 0
    release = Release.objects.get()
    own = audited(folder / split / f"{task}.jsonl" for split in ("dev", "test") for task in codes("is_usual"))
    assert published == ("warning", published[1]) == drift(release.manifest["gates"]) == own
    records = records_in(folder)
    dev, test = ({one["story"] for one in records if one["split"] == split} for split in ("dev", "test"))
    assert max(similarity(one, other) for one, other in product(dev, test)) < LEAST
    stories = (
        Item.objects.filter(pk__in=ReleaseItem.objects.values("item")).values("story").distinct().count()
    )
    assert release.manifest["stories"] == stories - sum(len(group) - 1 for group in groups)
