"""A small set made by the method of the CRMUS paper, by seven people, up to a second release.

Every step of the method is a function below; docs/method.md says which is which, and where it is in Parable.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from parable.llm.conditions import CRMUS_PROMPT
from parable.llm.stub import StubServer
from parable.psychometrics.results.papers import CRMUS
from review.models import Review
from tests.browser.conftest import _orm_beside_playwright, base_url, browser_type_launch_args
from tests.browser.waiting import PATIENCE_MS, arrive
from tests.factories import PASSWORD, make_user
from tests.flows import fables, manager, people
from tests.flows.fables import CROW, CROW_AGAIN, HARE, WIND, Fable
from tests.flows.people import Person, Wording
from tests.workers import running_worker

__all__ = ["_orm_beside_playwright", "base_url", "browser_type_launch_args"]
pytestmark = [pytest.mark.drill, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SLUG: Final = "crmus"
OUTLINE: Final = (
    "# 编写指南\n\n一道题问的是故事没有明说、但懂得常识的读者能推出来的事。\n\n- 一题可以属于两类。"
)
LESSON: Final = "不要问离开故事就没有意义的事。"
PILOT: Final = "试写"
PROMPTS: Final = {
    "只看结局": "《{title}》\n{story}\n寓意：{moral}\n请写出 {n} 条只看结局的人会得出的错误寓意，编号列出。",
    "没读完": "《{title}》\n{story}\n寓意：{moral}\n请写出 {n} 条没读完故事的人会得出的错误寓意，编号列出。",
}
STEM_PROMPT: Final = "没读完的人"
STEM_QUESTION: Final = "{story}\n题目：{stem}\n答案：{key}\n请写出 {n} 个错误选项，编号列出。"
GENERATORS: Final = {"模型甲": "stub-ok", "模型乙": "stub-json"}
PAPERS_TABLES: Final = (
    "Accuracy by task",
    "Error by commonsense type",
    "Human and machine style",
    "Consistency",
    "Ranks by ability and accuracy",
)
EXAMINEES: Final = ("glm-4", "ernie-4.0", "qwen-max", "spark-3.5")

LATER: Final = "影子已经伸到了院子中间，乌鸦这时喝到水，大约是一天里的什么时候？"
THIN_STONE: Final = ("沾着干泥的薄石片", "沾着干泥的小石片")
SAVING: Final = (
    "东西再好也要懂得节省，平日大手大脚，急用时就会落空。",
    "东西再多也要懂得节省，平日大手大脚，急用时就会落空。",
)


@dataclass(frozen=True, slots=True)
class Team:
    """The seven, by what they do."""

    manager: Person
    writer: Person
    second_writer: Person
    moral_writer: Person
    reviewer: Person
    second_reviewer: Person
    verifier: Person

    @property
    def everybody(self) -> tuple[Person, ...]:
        """All of them, the manager first."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def authors(self) -> tuple[Person, ...]:
        """Who submits items: the writers, and the reviewer who adds one."""
        return (self.writer, self.second_writer, self.moral_writer, self.reviewer)


SEATS: Final = {
    "manager": "Mei Lin",
    "writer": "Wenhua Li",
    "second_writer": "Rosa Ruiz",
    "moral_writer": "Tao Xu",
    "reviewer": "Rui Chen",
    "second_reviewer": "Dana Park",
    "verifier": "Vera Vogel",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reviewer says of an item that they have solved."""

    rating: int
    verdict: str
    flaw: str = ""
    words: str = ""
    edit: tuple[str, str] | None = None


SOUND: Final = Finding(2, "pass")
FITTING: Final = Finding(1, "pass")
UNCLEAR: Final = Finding(0, "return", "unclear stem", "请写明影子到了哪里。")
TRIVIAL: Final = Finding(0, "return", "trivial distractor", "其余三项一看就不对。")
OUT_OF_PLACE: Final = Finding(0, "reject", "not common sense", "故事里没有冬天。")
WRONG_TYPE: Final = Finding(0, "reject", "wrong type", "这是物理常识。")

FIRST_LOOK: Final = {
    fables.HOUR.key: UNCLEAR,
    fables.WOOL.key: WRONG_TYPE,
}
SECOND_LOOK: Final = {
    fables.HOUR.key: UNCLEAR,
    fables.WOOL.key: WRONG_TYPE,
    fables.LARGE_STONE.key: Finding(1, "edit", edit=THIN_STONE),
    fables.HUMAN_MORALS[CROW].key: Finding(1, "edit", edit=SAVING),
    fables.TOO_WARM.key: TRIVIAL,
    fables.COLD_WIND.key: FITTING,
    fables.SHADE.key: FITTING,
}
"""What the two reviewers say of the items that they do not simply pass as excellent, by key."""

WRITTEN: Final = {
    HARE: (fables.NEAR_FINISH, fables.JUDGE, fables.SHADOW),
    CROW: (fables.TILES, fables.HOUR, fables.PEBBLES),
    WIND: (fables.COLD_WIND, fables.TOO_WARM, fables.SHADE, fables.WOOL),
    CROW_AGAIN: (fables.LARGE_STONE, fables.BEAK),
}
"""The commonsense items before any is checked but those of the first round, of which one was rejected."""

RELEASED: Final = (
    fables.NEAR_FINISH,
    fables.JUDGE,
    fables.SHADOW,
    fables.TILES,
    replace(fables.HOUR, stem=LATER),
    fables.LARGE_STONE,
    fables.PEBBLES,
    fables.COLD_WIND,
    fables.SHADE,
    replace(fables.WOOL, types=("Physical",)),
    fables.WATER,
    fables.BEAK,
)
"""The commonsense items of the first release: one was deleted, one is under the threshold."""


@pytest.fixture
def _worker() -> Iterator[None]:
    """One worker for both queues, as long as the test takes."""
    with running_worker(threads=4):
        yield


@pytest.fixture
def examinees() -> Iterator[StubServer]:
    """A server of models that choose a letter, each another, whatever they are called."""
    with StubServer(default="letter") as server:
        yield server


@pytest.fixture
def team(browser: Browser, live_server: LiveServer) -> Iterator[Team]:
    """Seven people at browsers of their own; only the manager has an account."""
    expect.set_options(timeout=PATIENCE_MS)
    account = make_user(SEATS["manager"], may_create_projects=True)
    seated = {
        seat: people.sit_down(browser, live_server.url, name, name.lower().replace(" ", "."))
        for seat, name in SEATS.items()
    }
    seated["manager"].username = account.username
    yield Team(**seated)
    for person in seated.values():
        person.page.context.close()


@pytest.mark.usefixtures("_worker")
def test_a_set_is_made_by_the_published_method(
    team: Team, live_server: LiveServer, stub: StubServer, examinees: StubServer, tmp_path: Path
) -> None:
    import_fables(team, live_server.url, tmp_path / "fables.jsonl")
    mend_fables(team)
    set_targets(team)
    plan_types(team)
    publish_outline(team)
    invite_team(team)
    annotate_alone(team)
    improve_outline(team)
    check_pilot(team)
    invite_second_reviewer(team)
    set_up_models(team, stub)
    write_commonsense_items(team)
    write_with_a_proposal(team, stub)
    write_morals_by_hand(team)
    collect_morals(team, stub)
    items = written_by_hand() | adopt_morals(team)
    check_coverage(team)
    group_wordings(team)
    train_second_reviewer(team)
    cross_check(team, items)
    contest_and_rule(team)
    resubmit_returned(team, items)
    verify(team, items)
    check_moral_answers(team)
    count_agreement(team)
    first = build_first_release(team, tmp_path)
    fetch_training_kit(team, first, tmp_path)
    run_models(team, examinees)
    count_tables(team, first, tmp_path)
    calibrate(team)
    wrong = report_error(team, live_server.url, first)
    build_second_release(team, first, wrong, tmp_path)
    assert {one.name: one.complaints for one in team.everybody} == {one.name: [] for one in team.everybody}


# --- 1: the fables ---


def import_fables(team: Team, site: str, file: Path) -> None:
    """Fables with title, text and moral come in as a file; the preview says what they lack."""
    fables.write_stories(file)
    people.sign_in(team.manager, site, PASSWORD)
    people.create_project(team.manager, "CRMUS, anew", SLUG, "Chinese")
    people.import_stories(team.manager, file, 4)


def group_wordings(team: Team) -> None:
    """Two texts are one fable: they are suggested as a group after the import, and confirmed.

    Here that is late, when both have been written for; of a group one wording would have been offered.
    """
    manager.confirm_group(team.manager, [CROW.title, CROW_AGAIN.title])


def mend_fables(team: Team) -> None:
    """A typo is mended, a wordy moral shortened, a missing one written, each with its reason."""
    manager.mend_text(team.manager, HARE.title, HARE.text, "错字")
    manager.set_moral(team.manager, CROW.title, CROW.moral, "adapted from the source", "太长")
    manager.set_moral(team.manager, WIND.title, WIND.moral, "written for this project", "原书没有")


# --- 2: outline, people, a first round ---


def set_targets(team: Team) -> None:
    """Two writers a story, as published; two items each in place of four, since the set is small."""
    expect_two = team.manager.page.get_by_label("Writers per story", exact=True)
    people.change_setting(team.manager, "Commonsense items per writer and story", "2")
    expect(expect_two).to_have_value("2")


def plan_types(team: Team) -> None:
    """An item of each type for every story: what the plan suggests, which from now on steers the writers."""
    manager.save_type_targets(team.manager)


def publish_outline(team: Team) -> None:
    """Definitions and examples stand in a versioned guideline."""
    manager.publish_first_guideline(team.manager, OUTLINE)


def invite_team(team: Team) -> None:
    """Everybody joins by a link of their own; the second reviewer comes when the others have begun."""
    writers = (team.writer, team.second_writer, team.moral_writer)
    _invite(team.manager, writers, "item writer")
    _invite(team.manager, (team.reviewer,), "reviewer")
    _invite(team.manager, (team.verifier,), "verifier")


def _invite(inviting: Person, guests: Collection[Person], role: str) -> None:
    links = people.invite(inviting, [guest.name for guest in guests], role)
    for guest, link in zip(guests, links, strict=True):
        people.accept_invitation(guest, link)


def annotate_alone(team: Team) -> None:
    """Both writers write about the same story, and neither sees the other's items."""
    pair = (team.writer, team.second_writer)
    for person in pair:
        people.confirm_guideline(person, 1)
    manager.start_pilot(team.manager, PILOT, HARE.title, [person.name for person in pair])
    shares = ((fables.NEAR_FINISH, fables.WINTER), (fables.JUDGE, fables.SHADOW))
    for person, share in zip(pair, shares, strict=True):
        people.open_sheet(person, HARE.title)
        for index, item in enumerate(share):
            people.write_item(person, item, key_at=2 + index)


def improve_outline(team: Team) -> None:
    """The manager reads the items side by side, notes the problems, and publishes the next guideline."""
    stems = [one.stem for one in (fables.NEAR_FINISH, fables.WINTER, fables.JUDGE, fables.SHADOW)]
    manager.compare_pilot(team.manager, PILOT, stems, LESSON)
    manager.publish_next_guideline(team.manager, f"- {LESSON}")
    manager.end_pilot(team.manager, PILOT)
    for person in team.authors:
        people.confirm_guideline(person, 2)


def check_pilot(team: Team) -> None:
    """The items of the first round are checked and verified; one that the lesson is about is rejected."""
    known = (fables.NEAR_FINISH, fables.WINTER, fables.JUDGE, fables.SHADOW)
    _check_all(team.reviewer, known, {fables.WINTER.key: OUT_OF_PLACE})
    _verify_all(team.verifier, known, wrongly=())
    manager.make_practice_item(team.manager, fables.WINTER.stem)


# --- 3: commonsense items ---


def write_commonsense_items(team: Team) -> None:
    """Two writers a story, who take what is offered; type and explanation with every question."""
    _take_story(team.writer, CROW, "Social", "missing here")
    people.write_item(team.writer, fables.TILES, key_at=1)
    people.write_item(team.writer, fables.HOUR, key_at=3)
    _take_story(team.writer, WIND, "Social", "missing here")
    people.write_item(team.writer, fables.COLD_WIND, key_at=4)
    people.write_item(team.writer, fables.TOO_WARM, key_at=2)
    _take_story(team.writer, CROW_AGAIN, "Social", "missing here")
    people.write_item(team.writer, fables.LARGE_STONE, key_at=1)
    _take_story(team.second_writer, CROW_AGAIN, "Biological", "missing here")
    people.write_item(team.second_writer, fables.BEAK, key_at=3)
    _take_story(team.second_writer, WIND, "Temporal", "missing here, and you have written it least")
    people.write_item(team.second_writer, fables.SHADE, key_at=2)
    people.write_item(team.second_writer, fables.WOOL, key_at=4)


def _take_story(writer: Person, offered: Fable, kind: str, why: str) -> None:
    """The next story by the plan; the sheet says what it lacks, and which of that to write.

    It is the oldest of those that lack as many writers only where nothing else speaks for another: the second
    writer, who has written a social and a spatial item, is offered the youngest first and the oldest last.
    """
    people.take_next_story(writer, offered.title)
    writer.reads("Still needed:")
    writer.reads(f"Write next: {kind} ({why})")


def write_with_a_proposal(team: Team, stub: StubServer) -> None:
    """A stem question: a model is shown story, stem and key, and its proposal becomes a wrong option."""
    proposed, second, third = fables.PEBBLES.distractors
    begun = replace(fables.PEBBLES, distractors=("", second, third))
    people.take_next_story(team.second_writer, CROW.title)
    people.fill_sheet(team.second_writer, begun, key_at=4)
    people.ask_for_distractor(team.second_writer, "模型甲", proposed)
    people.submit_sheet(team.second_writer)
    assert [seen.model for seen in stub.log if fables.PEBBLES.stem in seen.prompt] == ["stub-ok"]


# --- 4: moral items ---


def write_morals_by_hand(team: Team) -> None:
    """The story's moral is the key, three other morals are written by hand."""
    for person, fable, place in (
        (team.writer, CROW, 4),
        (team.second_writer, HARE, 1),
        (team.writer, WIND, 2),
    ):
        people.open_sheet(person, fable.title)
        people.turn_to_moral_items(person, fables.MORAL_STEM)
        people.write_item(person, fables.HUMAN_MORALS[fable], key_at=place)


def set_up_models(team: Team, stub: StubServer) -> None:
    """Two models at a real server, two prompts for morals and one for stems."""
    for name, model in GENERATORS.items():
        people.add_model(team.manager, stub, name, model)
    for name, text in PROMPTS.items():
        people.write_prompt(team.manager, name, text)
    asks_for = "distractors for a commonsense stem"
    people.write_prompt(team.manager, STEM_PROMPT, STEM_QUESTION, asks_for)


def collect_morals(team: Team, stub: StubServer) -> None:
    """Workers put each prompt to each model about each story."""
    titles = [fable.title for fable in fables.FABLES]
    people.ask_for_candidates(team.moral_writer, titles, list(PROMPTS), list(GENERATORS))
    asked = [seen for seen in stub.log if any(one.moral in seen.prompt for one in fables.FABLES)]
    assert len(asked) == len(titles) * len(PROMPTS) * len(GENERATORS)


def adopt_morals(team: Team) -> set[Wording]:
    """Two items a story: proposals are filtered and rewritten, the key is the moral in other words."""
    adopted = set()
    for fable, keys in fables.OTHER_WORDINGS.items():
        for number, key in enumerate(keys):
            which = range(3 * number, 3 * number + 3)
            texts = people.adopt_proposals(team.moral_writer, fable.title, key, which, _rewritten)
            first, second, third = texts
            adopted.add(Wording(fables.MORAL_STEM, key, (first, second, third)))
    return adopted


def _rewritten(proposal: str) -> str:
    """Towards the wording of the morals: no absolutes, and a turn that proposals lack."""
    return proposal.replace("总是", "往往").replace("。", "，到头来都是这样。")


def written_by_hand() -> set[Wording]:
    """Every item that has no proposals of models, but for the extra one."""
    return {*RELEASED, *fables.HUMAN_MORALS.values(), fables.WINTER, fables.TOO_WARM}


def check_coverage(team: Team) -> None:
    """The plan shows the manager how many items of each type a story has, without the rejected one."""
    team.manager.goes_to("Writing plan")
    found = manager.figures_of(team.manager, "Items by story and type")
    for fable, items in WRITTEN.items():
        types = Counter(name for item in items for name in item.types)
        assert found.pop(fable.title)[: len(fables.TYPES)] == [
            str(types[name]) for name in fables.TYPES.values()
        ]
    assert not found


# --- 5: quality ---


def invite_second_reviewer(team: Team) -> None:
    """From now on every item that two people can take is checked by two."""
    _invite(team.manager, (team.second_reviewer,), "reviewer")


def train_second_reviewer(team: Team) -> None:
    """The first item that she gets is one whose verdict is known; then she reads what there was to see."""
    people.change_setting(team.manager, "Practice items, in percent of reviews", "50")
    people.take_next(team.second_reviewer, "Review")
    people.solve(team.second_reviewer, fables.WINTER.key, "You chose the key.")
    _say(team.second_reviewer, OUT_OF_PLACE)
    assert not people.send_verdict(team.second_reviewer)
    team.second_reviewer.reads("This was a practice item.")
    team.second_reviewer.reads("Your verdict matches the known one.")


def cross_check(team: Team, items: Collection[Wording]) -> None:
    """Each reviewer solves every item blind, then rates it 0, 1 or 2; what does not fit is edited.

    The first reviewer also adds an item to a story.
    """
    _check_all(team.reviewer, items, FIRST_LOOK, extra={fables.TILES.key: fables.WATER})
    _check_all(team.second_reviewer, items, SECOND_LOOK)


def _add_extra_item(reviewer: Person, item: Wording) -> None:
    """From the page of another item about the story, once that is solved; its verdict waits meanwhile."""
    reviewer.page.get_by_role("link", name="Write another item for this story").click()
    people.write_item(reviewer, item, key_at=2)
    reviewer.goes_to("Review")
    reviewer.page.get_by_role("button", name="Continue").click()
    arrive(reviewer.page, "#verdict")


def contest_and_rule(team: Team) -> None:
    """A writer contests a rejection and an edit; the manager rules on both, and where reviewers differ."""
    people.contest(team.second_writer, fables.WOOL.stem, "只是类型选错了。")
    people.contest(team.writer, fables.LARGE_STONE.stem, "薄石片更像石子。")
    rulings = {
        fables.WOOL.stem: ("return", "改为物理常识。"),
        fables.LARGE_STONE.stem: ("send to verification", "改得更好。"),
        fables.TOO_WARM.stem: ("uphold", "可以解答。"),
    }
    manager.rule_on(team.manager, rulings)


def resubmit_returned(team: Team, items: Collection[Wording]) -> None:
    """What came back is written anew, and checked again by both."""
    people.revise_returned(team.writer, UNCLEAR.words, stem=LATER)
    people.revise_returned(team.second_writer, "改为物理常识。", types=["Physical"])
    for reviewer in (team.reviewer, team.second_reviewer):
        checked = _check_all(reviewer, items, {})
        assert {item.key for item in checked} == {fables.HOUR.key, fables.WOOL.key}


def verify(team: Team, items: Collection[Wording]) -> None:
    """Somebody who has neither written nor checked solves all again; where she errs, the manager rules."""
    _verify_all(team.verifier, items, wrongly=[fables.WATER.key])
    manager.rule_on(team.manager, {fables.WATER.stem: ("uphold", "看错了。")})


def check_moral_answers(team: Team) -> None:
    """Both reviewers answered all moral items before they saw a key, those of machine style as the others."""
    answers = Review.objects.filter(stage="cross_check", item__task="moral", judged_at__isnull=False)
    styles = Counter(answers.filter(blind=True).values_list("item__style", flat=True))
    assert styles["machine"] >= styles["human"] > 0
    assert styles.total() == answers.count() == 2 * 3 * len(fables.FABLES)


def count_agreement(team: Team) -> None:
    """Agreement of the ratings and accuracy of the blind answers, with how many there are of each."""
    manager.count_agreement(team.manager)
    twice = {task: cells[0] for task, cells in manager.figures_of(team.manager, "Agreement by task").items()}
    assert twice == {"all items": "20", "commonsense": "11", "moral": "9"}
    accuracy = manager.figures_of(team.manager, "Human accuracy")
    answers = {
        style: next(cells for name, cells in accuracy.items() if style in name)
        for style in ("human", "machine")
    }
    reviewers = 2
    assert int(answers["human"][0]) == reviewers * len(fables.FABLES)
    assert int(answers["machine"][0]) == reviewers * 2 * len(fables.FABLES)
    assert all("%" in cells[1] for cells in answers.values())


def _check_all(
    reviewer: Person,
    items: Collection[Wording],
    findings: Mapping[str, Finding],
    extra: Mapping[str, Wording] | None = None,
) -> list[Wording]:
    """Take, solve and judge until nothing is left; answers what it was, in that order.

    Of the moral items of a story no key is shown before the last is answered; then each is judged.
    `extra`: what the reviewer adds to the story of an item, by its key.
    """
    people.take_next(reviewer, "Review")
    checked = []
    more = True
    while more:
        item = _recognised(reviewer, items)
        if people.is_blind(reviewer) and not people.solve(reviewer, item.key, "You chose the key."):
            continue
        if extra and item.key in extra:
            _add_extra_item(reviewer, extra[item.key])
        _say(reviewer, findings.get(item.key, SOUND))
        checked.append(item)
        more = people.send_verdict(reviewer)
    return checked


def _say(reviewer: Person, finding: Finding) -> None:
    """Fill in the verdict."""
    people.judge(reviewer, finding.verdict, rating=finding.rating, flaw=finding.flaw, words=finding.words)
    if finding.edit:
        people.reword_option(reviewer, *finding.edit)


def _verify_all(verifier: Person, items: Collection[Wording], *, wrongly: Collection[str]) -> None:
    people.take_next(verifier, "Verify")
    more = True
    while more:
        item = _recognised(verifier, items)
        if people.is_blind(verifier):
            is_wrong = item.key in wrongly
            said = "You chose a different option" if is_wrong else "You chose the key."
            if not people.solve(verifier, item.distractors[0] if is_wrong else item.key, said):
                continue
        people.mark_options(verifier, item.key)
        people.judge(verifier, "confirm")
        more = people.send_verdict(verifier)


def _recognised(person: Person, items: Collection[Wording]) -> Wording:
    """Which item it is: the test knows the keys, the person does not."""
    shown = set(people.options(person))
    return next(item for item in items if item.key in shown)


# --- 6 and 7: keys, dev and test ---


def build_first_release(team: Team, into: Path) -> list[dict[str, Any]]:
    """Gates first: rights are stated, stories shared by order only warn; what was rated 0 stays out."""
    manager.prepare_release(team.manager, "1.0.0", lowest_rating="1")
    manager.state_rights(team.manager, "1.0.0", CROW_AGAIN.title, "CC BY 4.0")
    manager.set_mixed_split(team.manager, dev_share="0.5", out_stories="1", seed="7")
    manager.check_gate(team.manager, "split_leak", "Warning")
    manager.build_release(team.manager, "1.0.0")
    files = _files(people.download_release(team.manager, into))
    records = _records(files)
    assert "## 工作量与报酬" in files["README.md"].decode(), "people and hours, and no name"
    _check_contents(records)
    _check_split(files, records)
    return records


def _check_contents(records: list[dict[str, Any]]) -> None:
    """All that was verified and rated high enough, as it was worded last; its types, styles, models."""
    commonsense = {one["choices"][one["answer"]]: one for one in records if one["task"] == "commonsense"}
    assert set(commonsense) == {item.key for item in RELEASED}
    for item in RELEASED:
        found = commonsense[item.key]
        types = {fables.TYPES[code] for code in found["types"]}
        assert (found["question"], types, found["explanation"]) == (
            item.stem, set(item.types), item.explanation,
        )  # fmt: skip
    assert {code for one in commonsense.values() for code in one["types"]} == set(fables.TYPES)
    assert THIN_STONE[1] in commonsense[fables.LARGE_STONE.key]["choices"]
    assert commonsense[fables.PEBBLES.key]["generators"] == ["stub-ok"]
    morals = [one for one in records if one["task"] == "moral"]
    styles = Counter((one["style"], bool(one["generators"])) for one in morals)
    assert styles == {("human", False): len(fables.FABLES), ("machine", True): 2 * len(fables.FABLES)}
    assert {name for one in morals for name in one["generators"]} == set(GENERATORS.values())
    assert len({one["story_id"] for one in records}) == len(fables.FABLES), "two wordings are one story"


def _check_split(files: Mapping[str, bytes], records: list[dict[str, Any]]) -> None:
    """Keys even over A to D in each task and split; of dev, `domain` says what shares its story with test."""
    places: dict[tuple[str, str], Counter[int]] = {}
    sides: dict[str, set[str]] = {}
    for one in records:
        places.setdefault((one["task"], one["split"]), Counter()).update([one["answer"]])
        sides.setdefault(one["story_id"], set()).add(one["split"])
    for counts in places.values():
        assert max(counts.values()) - min(counts[index] for index in range(4)) <= 1
    assert sorted(map(sorted, sides.values())) == [["dev"], ["dev", "test"], ["test"]]
    dev = [one for task in ("CR", "MU") for one in json.loads(files[f"crmus/dev_CRMUS_{task}.json"])]
    shared = {one["story"] for one in records if one["split"] == "test"}
    assert {one["domain"] for one in dev} == {"in", "out"}
    assert all((one["domain"] == "in") >= (one["story"] in shared) for one in dev)


def _files(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as packed:
        return {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


def _records(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    splits = [name for name in sorted(files) if name.startswith(("dev/", "test/"))]
    return [json.loads(line) for name in splits for line in files[name].splitlines()]


# --- measuring ---


def fetch_training_kit(team: Team, records: list[dict[str, Any]], into: Path) -> None:
    """The dev items, as examples for two trainers under the published prompt."""
    kit = _files(manager.download_training_kit(team.manager, into))
    dev = sum(one["split"] == "dev" for one in records)
    assert {len(kit[name].splitlines()) for name in kit if name.endswith(".jsonl")} == {dev}


def run_models(team: Team, examinees: StubServer) -> None:
    """Four models answer the test twice, by the published prompt to the letter."""
    for model in EXAMINEES:
        people.add_model(team.manager, examinees, model, model)
    manager.run_models(team.manager, "CRMUS, answers repeated", CRMUS_PROMPT, EXAMINEES)
    first_line = CRMUS_PROMPT.partition("\n")[0]
    asked = Counter(seen.model for seen in examinees.log if seen.prompt.startswith(first_line))
    assert set(asked) == set(EXAMINEES)
    assert len(set(asked.values())) == 1


def count_tables(team: Team, records: list[dict[str, Any]], into: Path) -> None:
    """The paper's tables, answers read by its filter; each can be taken along."""
    manager.count_results(team.manager, "CRMUS filter")
    held = manager.open_table(team.manager, "Items by task and split")
    counts = Counter((one["task"], one["split"]) for one in records)
    for task, (dev, test, _all) in list(held.items())[:2]:
        assert (int(dev), int(test)) == (counts[task.lower(), "dev"], counts[task.lower(), "test"])
    assert manager.open_table(team.manager, "Commonsense types").keys() == set(fables.TYPES.values())
    for title in PAPERS_TABLES:
        rows = manager.open_table(team.manager, title)
        assert all(any(model in row for row in rows) for model in EXAMINEES), title
        latex = manager.download_table(team.manager, title, "LaTeX", into)
        assert r"\toprule" in latex.read_text(encoding="utf-8")
    manager.compare_with_paper(team.manager, "CRMUS", len(CRMUS.figures))


def calibrate(team: Team) -> None:
    """Three parameters: the models by ability beside their accuracy."""
    found = manager.calibrate(team.manager, "3PL: difficulty, discrimination and guessing")
    assert sorted(found) == sorted(EXAMINEES)


# --- after the release ---


def report_error(team: Team, site: str, records: list[dict[str, Any]]) -> str:
    """A reader reports a released item, the manager retires it with a note for readers; answers its id."""
    wrong = next(str(one["id"]) for one in records if one["choices"][one["answer"]] == fables.SHADE.key)
    manager.report_error(team.moral_writer, site, wrong, "1.0.0", "选项里有错字。")
    manager.answer_report(
        team.manager, wrong, reply="谢谢，已撤下。", resolution="retire the item", erratum="有错字，撤下。"
    )
    return wrong


def build_second_release(team: Team, first: list[dict[str, Any]], wrong: str, into: Path) -> None:
    """The patch lists the erratum, and keeps everything else where it was."""
    manager.prepare_patch(team.manager, "1.0.0")
    manager.check_gate(team.manager, "split_leak", "Warning")
    manager.build_release(team.manager, "1.0.1")
    files = _files(people.download_release(team.manager, into))
    filtered = {one["id"]: one["choices"] for one in first if one["id"] != wrong}
    assert {one["id"]: one["choices"] for one in _records(files)} == filtered
    errata = [json.loads(line) for line in files["errata.jsonl"].splitlines()]
    assert [(one["id"], one["change"], one["note"]) for one in errata] == [
        (wrong, "retired", "有错字，撤下。")
    ]
