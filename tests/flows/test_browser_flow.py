"""From a file of stories to a downloaded release, through the pages alone, by four people at four browsers.

A real worker does the long work, and the model behind the candidates is a stub that speaks real HTTP.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Option
from parable.llm.stub import StubServer
from tests.browser.conftest import _orm_beside_playwright, base_url, browser_type_launch_args
from tests.browser.waiting import PATIENCE_MS
from tests.factories import PASSWORD, make_user
from tests.flows import people
from tests.flows.people import Person, Wording
from tests.workers import running_worker

__all__ = ["_orm_beside_playwright", "base_url", "browser_type_launch_args"]
pytestmark = [pytest.mark.drill, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CROW, DOG = "The Crow and the Jar", "The Dog on the Bridge"
MORALS = {
    CROW: "Patience and wit get what strength alone cannot.",
    DOG: "Who snatches at a shadow drops what is real.",
}
TEXTS = {
    CROW: "A thirsty crow found a jar with a little water at the bottom.\n"
    "Her beak could not reach it. She dropped in pebble after pebble until she could drink.",
    DOG: "A dog carried a bone across a bridge and saw another dog below.\n"
    "He barked at it to have its bone as well, and his own fell into the stream.",
}
NAMES = ("Mei Manager", "Wenhua Li", "Rosa Ruiz", "Vera Vogel")
MORAL_STEM = "Which of the following best states the moral of this story?"
PROMPT = "Here is a fable.\n\n{story}\n\nIts moral: {moral}\n\nWrite {n} wrong morals for it."
MODEL = "stub-ok"
FIRST_OPTION_ID = 7_310_001  # no small number, so that a page can be searched for the ids of options

PEBBLES = Wording(
    stem="Why could she drink?",
    key="The pebbles pushed the water up",
    distractors=(
        "The pebbles broke a hole into the jar",
        "Rain had filled the jar in the meantime",
        "The jar fell over and the water ran out",
    ),
    types=("Physical", "Spatial"),
    explanation="Stones take up room, so the water in a narrow jar rises.",
)
CLEARER_STEM = "Why could the crow drink after she had dropped the pebbles into the jar?"
UNCLEAR = "Say who drinks, and when."
CLEVER = Wording(
    stem=MORAL_STEM,
    key="A clear head reaches further than a strong neck.",
    distractors=(
        "Drink only where others have drunk before you.",
        "Those who work alone are soon forgotten by their friends.",
        "What is easily won is easily lost again.",
    ),
)
REWORDED = "Never drink from a vessel that you do not know."
MACHINE_KEY = "Thinking a little longer opens what pushing cannot."
BONE = Wording(
    stem="Who was the other dog that the dog saw below the bridge?",
    key="His own image in the water",
    distractors=(
        "A brother of his who lived by the stream",
        "A hungry dog who was swimming there",
        "A dog that somebody had painted on a stone",
    ),
    types=("Physical", "Social"),
    explanation="Still water shows whoever looks into it, bone and all.",
)


@pytest.fixture
def _worker() -> Iterator[None]:
    """One worker for both queues, as long as the test takes."""
    with running_worker(threads=4):
        yield


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    """A file of two stories, as a manager would have it."""
    file = tmp_path / "stories.jsonl"
    common = {"language": "en", "source": "Aesop, retold", "rights": "CC BY 4.0"}
    rows = [
        {"id": f"s{index}", "title": title, "text": TEXTS[title], "moral": MORALS[title], **common}
        for index, title in enumerate((CROW, DOG))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def four(browser: Browser, live_server: LiveServer) -> Iterator[list[Person]]:
    """Manager, writer, reviewer and verifier at browsers of their own; only the first has an account."""
    expect.set_options(timeout=PATIENCE_MS)
    manager = make_user("Mei Manager", may_create_projects=True)
    usernames = (manager.username, "wenhua.li", "rosa", "vera")
    seated = [
        people.sit_down(browser, live_server.url, name, username)
        for name, username in zip(NAMES, usernames, strict=True)
    ]
    yield seated
    for person in seated:
        person.page.context.close()


@pytest.mark.usefixtures("_worker")
def test_it_goes_from_a_file_of_stories_to_a_downloaded_release(
    four: list[Person], live_server: LiveServer, stub: StubServer, stories: Path, tmp_path: Path
) -> None:
    manager, writer, reviewer, verifier = four
    _number_options_apart()
    _found_project(manager, live_server.url, stories)
    _gather(manager, [writer, reviewer, verifier])
    _write_by_hand(writer)
    machine = _write_with_a_model(manager, writer, stub)
    _review_all(reviewer, writer, machine)
    _verify_all(verifier, reviewer, machine)
    _rule(manager)
    people.cut_release(manager, "1.0.0", dev_share="0.5", seed="7")
    _check_archive(people.download_release(manager, tmp_path), machine)
    assert {person.name: person.complaints for person in four} == {person.name: [] for person in four}


def _number_options_apart() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence('annotation_option', 'id'), %s, false)", [FIRST_OPTION_ID]
        )


# --- who does what ---


def _found_project(manager: Person, site: str, stories: Path) -> None:
    people.sign_in(manager, site, PASSWORD)
    people.create_project(manager, "Fables for testing", "aesop")
    people.import_stories(manager, stories, 2)
    people.change_setting(manager, "Standard stem of moral items", MORAL_STEM)


def _gather(manager: Person, invited: list[Person]) -> None:
    """The links make writers of all three; once they have joined, two are given the roles they came for."""
    links = people.invite(manager, [person.name for person in invited])
    assert len(set(links)) == 3
    for person, link in zip(invited, links, strict=True):
        people.accept_invitation(person, link)
    for person, role in zip(invited[1:], ("reviewer", "verifier"), strict=True):
        people.give_role(manager, person.name, role)
        person.page.reload()


def _write_by_hand(writer: Person) -> None:
    people.take_next_story(writer, CROW)
    people.write_item(writer, PEBBLES, key_at=2)
    people.turn_to_moral_items(writer, MORAL_STEM)
    people.write_item(writer, CLEVER, key_at=4)
    people.take_next_story(writer, DOG)
    people.write_item(writer, BONE, key_at=1)


def _write_with_a_model(manager: Person, writer: Person, stub: StubServer) -> Wording:
    people.add_model(manager, stub, "The stub", MODEL)
    people.write_prompt(manager, "Only the ending", PROMPT)
    people.ask_for_candidates(writer, [CROW], ["Only the ending"], ["The stub"])
    first, second, third = people.adopt_candidates(writer, CROW, MACHINE_KEY)
    asked = [seen for seen in stub.log if TEXTS[CROW].splitlines()[0] in str(seen)]
    assert len(asked) == 1
    return Wording(MORAL_STEM, MACHINE_KEY, (first, second, third))


def _review_all(reviewer: Person, writer: Person, machine: Wording) -> None:
    """Every item is solved rightly; one is returned and fixed, one is edited, the others pass."""
    people.take_next(reviewer, "Review")
    solved = set()
    more = True
    while more:
        item = _recognise(reviewer, machine)
        if people.is_blind(reviewer):
            _nothing_is_given_away(reviewer, item)
            solved.add(item.key)
            if not people.solve(reviewer, item.key, "You chose the key."):
                continue
        if item is PEBBLES:
            people.judge(reviewer, "return", rating=0, flaw="unclear stem", words=UNCLEAR)
        elif item is CLEVER:
            people.judge(reviewer, "edit", rating=1)
            people.reword_option(reviewer, CLEVER.distractors[0], REWORDED)
        else:
            people.judge(reviewer, "pass", rating=2)
        more = people.send_verdict(reviewer)
    assert solved == {item.key for item in (PEBBLES, CLEVER, BONE, machine)}
    people.revise_returned(writer, UNCLEAR, CLEARER_STEM)
    people.take_next(reviewer, "Review")
    reviewer.reads(CLEARER_STEM, "#work")
    _nothing_is_given_away(reviewer, PEBBLES)
    people.solve(reviewer, PEBBLES.key, "You chose the key.")
    people.judge(reviewer, "pass", rating=2)
    assert not people.send_verdict(reviewer)


def _verify_all(verifier: Person, reviewer: Person, machine: Wording) -> None:
    """All are confirmed, but one is solved wrongly on purpose."""
    people.take_next(verifier, "Verify")
    solved = 0
    more = True
    while more:
        item = _recognise(verifier, machine)
        if people.is_blind(verifier):
            _nothing_is_given_away(verifier, item)
            wanted, said = item.key, "You chose the key."
            if item is BONE:
                wanted, said = BONE.distractors[1], "You chose a different option"
            if not people.solve(verifier, wanted, said):
                continue
        people.mark_options(verifier, item.key)
        people.judge(verifier, "confirm")
        solved += 1
        more = people.send_verdict(verifier)
    assert solved == 4


def _rule(manager: Person) -> None:
    found = ["A blind answer differed from the key", "chose the key", f"chose “{BONE.distractors[1]}”"]
    people.rule(manager, "uphold", "A slip of the eye; the key is right.", found)


def _recognise(person: Person, machine: Wording) -> Wording:
    """Which item it is: the test knows the keys, the person does not."""
    shown = set(people.options(person))
    return next(item for item in (PEBBLES, CLEVER, BONE, machine) if item.key in shown)


# --- what must not be seen, and what must come out ---


def _nothing_is_given_away(person: Person, item: Wording) -> None:
    """Before the answer, neither source nor headers say which option is the key, who wrote it, or how."""
    answer = person.page.request.get(person.page.url)
    source = (str(answer.headers) + answer.text() + person.page.content()).lower()
    ids = [str(pk) for pk in Option.objects.values_list("pk", flat=True)]
    assert min(map(int, ids)) >= FIRST_OPTION_ID
    secrets = {*NAMES, "wenhua.li", *MORALS.values(), *ids, MODEL, "human", "machine", "explanation"}
    secrets |= {item.explanation or MODEL, "is_key", "key_option"}
    assert {words for words in secrets - {person.name} if words.lower() in source} == set()
    shown = people.options(person)
    assert len({source.count(text.lower()) for text in shown}) == 1, "an option stands there once more"
    marks = [str(row.evaluate("row => row.outerHTML")) for row in people.rows(person).all()]
    bare = {_bare(row, text) for row, text in zip(marks, shown, strict=True)}
    assert len(bare) == 1, "the options differ in their marks"


def _bare(row: str, text: str) -> str:
    """A row without its text and its number."""
    return "".join(sign for sign in row.replace(text, "") if not sign.isdigit())


def _check_archive(archive: Path, machine: Wording) -> None:
    with zipfile.ZipFile(archive) as packed:
        files = {name.removeprefix("aesop-1.0.0/"): packed.read(name) for name in packed.namelist()}
    _check_sums(files)
    records = [
        json.loads(line)
        for name in files
        if name.startswith(("dev/", "test/"))
        for line in files[name].splitlines()
    ]
    counts = sorted((record["split"], record["task"]) for record in records)
    crows = next(record["split"] for record in records if record["title"] == CROW)
    dogs = "test" if crows == "dev" else "dev"
    assert counts == sorted(
        [(crows, "commonsense"), (crows, "moral"), (crows, "moral"), (dogs, "commonsense")]
    )
    by_key = {record["choices"][record["answer"]]: record for record in records}
    for item in (PEBBLES, CLEVER, BONE, machine):
        _check_record(by_key[item.key], item, machine)
    assert by_key[PEBBLES.key]["question"] == CLEARER_STEM
    assert REWORDED in by_key[CLEVER.key]["choices"]


def _check_record(record: dict[str, Any], item: Wording, machine: Wording) -> None:
    assert record["answer_letter"] == "ABCD"[record["answer"]]
    wanted = {REWORDED if text == CLEVER.distractors[0] else text for text in (item.key, *item.distractors)}
    assert set(record["choices"]) == wanted
    assert sorted(record["types"]) == sorted(kind.lower() for kind in item.types)
    assert (record["explanation"] or "") == item.explanation
    assert (record["style"], record["generators"]) == (
        ("machine", [MODEL]) if item is machine else ("human", [])
    )


def _check_sums(files: dict[str, bytes]) -> None:
    lines = files["SHA256SUMS"].decode().splitlines()
    summed = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    wanted = sorted(set(files) - {"SHA256SUMS", "MANIFEST.json"})
    assert sorted(lines) == sorted(f"{summed[name]}  {name}" for name in wanted)
