"""`import_items`: real files and broken ones, everything or nothing, and twice is once."""

import json
import uuid
from collections import Counter
from pathlib import Path

import pytest

from accounts.models import User
from annotation.content import to_json
from annotation.models import Item, ItemDraft, Revision, State
from annotation.queries.item import items as items_of
from annotation.queries.item import present_words, revision_content
from annotation.services import save_draft
from corpus.models import Story
from parable.formats import read_items
from projects.services import update_project
from tests.corpus.commands import Output, run
from tests.factories import Cast, make_project
from tests.parable.hostile_files import CASES, Case, crmus, lines

pytestmark = pytest.mark.django_db

PUBLISHED = (
    "dev_CRMUS_CR.json",
    "dev_CRMUS_MU.json",
    "test_CRMUS_CR_public.json",
    "test_CRMUS_MU_public.json",
)


@pytest.fixture
def cast() -> Cast:
    return make_project(language="zh")


def bring(cast: Cast, *arguments: object) -> Output:
    return run("import_items", *arguments, "--project", cast.project.slug)


def put(folder: Path, data: bytes, name: str = "items.json") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def nothing_there(cast: Cast) -> bool:
    return not (
        Item.objects.filter(project=cast.project).exists()
        or Story.objects.filter(project=cast.project).exists()
        or User.objects.filter(is_placeholder=True, is_system=False).exists()
    )


@pytest.mark.drill
def test_it_creates_every_published_item_and_twice_is_once(cast: Cast, shared_data: Path) -> None:
    paths = [shared_data / "crmus" / "published_format" / name for name in PUBLISHED]
    first = bring(cast, *paths)
    assert (first.code, first.err) == (0, "")
    assert (first.data["created"], first.data["drafts"]) == (305 + 192 + 1176 + 729, 1176 + 729)
    assert first.data["errors"] == []
    found = Item.objects.filter(project=cast.project)
    assert found.filter(state=State.IN_REVIEW, task="commonsense").count() == 305
    assert found.filter(state=State.IN_REVIEW, task="moral").count() == 192
    drafts = found.filter(state=State.DRAFT)
    assert drafts.filter(current=None).count() == 1176 + 729
    kept = {
        (item.task, item.ref): (item.drafts.all()[0].content, item.story.current, item.style)
        for item in drafts.select_related("story__current").prefetch_related("drafts")
    }
    titles: dict[str, str] = {}
    for record in (one for path in paths for one in read_items(path, name=path.name).records):
        title = titles.setdefault(record.story, record.title)
        if record.answer is None:
            content, story, style = kept.pop((record.task, record.id))
            assert story is not None
            assert (story.title, story.text, style) == (title, record.story, record.style)
            options = tuple(option["text"] for option in content["options"])
            assert (content["stem"], options) == (record.question, record.choices)
            assert tuple(content["types"]) == record.types
            assert not any(option["is_key"] for option in content["options"])
    assert kept == {}
    trimmed = Counter(note["field"] for note in first.data["notes"] if "white space" in note["message"])
    assert trimmed == {"story": 5, "question": 4}

    second = bring(cast, *paths)
    assert second.code == 0
    assert (second.data["unchanged"], second.data["created"], second.data["changed"]) == (2402, 0, 0)
    assert found.count() == 2402
    assert Revision.objects.filter(item__project=cast.project).count() == 497


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_it_names_file_row_and_field_of_a_broken_file_and_imports_nothing(
    cast: Cast, tmp_path: Path, case: Case
) -> None:
    broken = put(tmp_path, case.data, "broken.file")

    said = bring(cast, broken, "--format", case.format)

    assert said.code == 2
    assert "Dry run" not in said.out
    found = [(error["file"], error["row"], error["field"]) for error in said.data["errors"]]
    assert (str(broken), case.row, case.field) in found
    assert f"broken.file, row {case.row}, {case.field}: " in said.err
    assert said.data["broken"] >= 1
    assert nothing_there(cast)


def test_it_imports_nothing_where_one_of_several_files_is_broken(cast: Cast, tmp_path: Path) -> None:
    said = bring(cast, put(tmp_path, crmus(), "a.json"), put(tmp_path, crmus(answer="AB"), "b.json"))
    assert said.code == 2
    assert [error["file"] for error in said.data["errors"]] == [str(tmp_path / "b.json")]
    assert nothing_there(cast)


def test_it_says_what_is_not_kept_as_it_came_and_which_stories_look_alike(cast: Cast, tmp_path: Path) -> None:
    first = json.loads(crmus())[0]
    bring(cast, put(tmp_path, crmus()))
    one = {**first, "id": "9_1", "title": "又一个标题", "story": f" {first['story']}"}
    alike = {**first, "id": "9_2", "story": f"{first['story']}完。"}
    files = (
        put(tmp_path, json.dumps([row]).encode(), name) for name, row in (("a.json", one), ("b.json", alike))
    )
    said = bring(cast, *files)
    notes = [(Path(note["file"]).name, note["field"], note["message"]) for note in said.data["notes"]]
    assert notes == [
        ("a.json", "title", f"title differs; the story keeps “{first['title']}”"),
        ("b.json", "story", f"new story, similar to “{first['title']}”"),
        ("a.json", "story", "outer white space removed"),
    ]
    assert (said.data["created"], said.data["suspected"]) == (2, 1)
    assert "1 new story is similar to another." in said.out
    assert all(message in said.out for _file, _field, message in notes)


def test_it_says_what_would_happen_and_leaves_nothing_behind(cast: Cast, tmp_path: Path) -> None:
    said = bring(cast, put(tmp_path, crmus()), "--dry-run")
    assert (said.code, said.data["created"]) == (0, 2)
    assert nothing_there(cast)


@pytest.mark.parametrize("state", ["draft", "in_review", "verified"])
def test_it_starts_items_in_the_state_that_was_chosen(cast: Cast, tmp_path: Path, state: str) -> None:
    said = bring(cast, put(tmp_path, crmus()), "--state", state)
    assert said.data["created"] == 2
    assert set(Item.objects.values_list("state", flat=True)) == {state}
    assert said.data["drafts"] == (2 if state == "draft" else 0)
    again = bring(cast, put(tmp_path, crmus()), "--state", state)
    assert (again.data["created"], again.data["unchanged"]) == (0, 2)


def test_it_keeps_stem_options_key_and_types_as_the_file_has_them(cast: Cast, tmp_path: Path) -> None:
    bring(cast, put(tmp_path, crmus(type="物理常识、社会常识", answer="C")), "--state", "verified")
    item = items_of(cast.project).get(ref="1_1")
    assert item.current is not None
    content = revision_content(item.current)
    assert [option.text for option in content.options] == ["投石子", "飞走", "睡觉", "唱歌"]
    assert content.key is not None
    assert (content.key.text, set(content.types)) == ("睡觉", {"physical", "social"})


def test_it_never_takes_an_account_that_can_sign_in_for_the_writer(cast: Cast, tmp_path: Path) -> None:
    said = bring(cast, put(tmp_path, crmus()), "--writer", cast.writer.name)
    assert said.code == 0
    writers = {item.writer for item in Item.objects.select_related("writer")}
    assert cast.writer not in writers
    (writer,) = writers
    assert (writer.name, writer.is_placeholder, writer.is_active) == (cast.writer.name, True, False)
    assert bring(cast, put(tmp_path, crmus()), "--writer", "x" * 151).code == 2


def test_it_reads_the_labels_of_the_project_and_the_published_ones(cast: Cast, tmp_path: Path) -> None:
    kind = cast.project.commonsense_types.get(code="physical")
    cast.project.commonsense_types.filter(pk=kind.pk).update(name_zh="物理")
    for number, label in enumerate(("物理", "物理常识", "Physical", "physical")):
        path = put(tmp_path, crmus(id=f"2_{number}", type=label), f"{number}.json")
        assert bring(cast, path).code == 0, label


def test_it_gives_a_returned_item_its_new_words_and_refuses_to_change_a_verified_one_silently(
    cast: Cast, tmp_path: Path
) -> None:
    bring(cast, put(tmp_path, lines(), "a.jsonl"), "--state", "in_review")
    said = bring(cast, put(tmp_path, lines(question="What will it do?"), "a.jsonl"))
    assert (said.data["changed"], said.data["unchanged"]) == (1, 1)
    item = items_of(cast.project).get(ref="crow-c1")
    assert item.current is not None
    assert (item.current.number, item.current.stem) == (2, "What will it do?")


def test_it_leaves_alone_what_a_person_has_typed_into_an_imported_draft(cast: Cast, tmp_path: Path) -> None:
    bring(cast, put(tmp_path, crmus(answer=""), "a.json"))
    item = Item.objects.get(ref="1_1")
    assert (item.state, item.current) == (State.DRAFT, None)
    words = present_words(item)
    assert [option.text for option in words.options] == ["投石子", "飞走", "睡觉", "唱歌"]
    mine = save_draft(
        actor=cast.manager, project=cast.project, story=item.story, task=item.task, item=item,
        client_id=uuid.uuid4(), sequence=1, content=to_json(words),
    )  # fmt: skip
    said = bring(cast, put(tmp_path, crmus(answer="", question="它会做什么？"), "a.json"))
    assert said.data["changed"] == 1
    mine.refresh_from_db()
    assert mine.content["stem"] == "它可能做什么？"
    assert ItemDraft.objects.filter(item=item).count() == 2


def test_it_finds_the_story_of_a_table_row_by_its_id(cast: Cast, tmp_path: Path) -> None:
    bring(cast, put(tmp_path, lines(), "a.jsonl"))
    table = put(tmp_path, "编号,故事编号,题干,A,B,答案\nn1,crow,它渴吗？,是,,\n".encode(), "half.csv")
    said = bring(cast, table)
    assert (said.code, said.data["created"], said.data["drafts"]) == (0, 1, 1)
    unknown = bring(cast, put(tmp_path, "编号,故事编号,题干\nn2,raven,它渴吗？\n".encode(), "b.csv"))
    assert (unknown.code, unknown.data["errors"][0]["field"]) == (2, "story")


def test_it_takes_a_project_with_other_numbers_of_options(cast: Cast, tmp_path: Path) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"options_per_item": 3})
    assert bring(cast, put(tmp_path, crmus(options=["A．a", "B．b"])), "--state", "verified").code == 0


def test_it_prints_each_fate_for_people_and_one_object_for_scripts(cast: Cast, tmp_path: Path) -> None:
    said = bring(cast, put(tmp_path, lines() + lines()))
    assert json.loads(said.out.splitlines()[-1])["duplicate"] == 2
    assert "duplicate, " in said.out
    assert "created 2" in said.out.splitlines()[-2]
