"""The sample: two small projects, one in each language, walked into every state by their people.

Items are imported, claimed, solved and judged by the same services as on the site, so that what a
newcomer sees is what the platform does.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.db import transaction

from accounts.models import User
from accounts.services import create_user, set_password, system_account
from annotation.models import Item, State
from annotation.services import import_items, retire_item, take_next_story, withdraw_item
from core.errors import Unusable
from corpus.models import Story
from corpus.services import import_stories
from generation.models import Purpose
from generation.services import create_template, paste_answer
from jobs.models import EndpointKind
from jobs.services import create_endpoint
from parable.formats import read_items, read_stories
from parable.formats.records import ItemRecord, Reading, StoryRecord
from projects.models import Project, Role
from projects.services import create_project, publish_guideline, set_roles, update_project
from review.models import Answer, Disposition, ReviewRequest, Stage
from review.practice import plant
from review.queries.practice import settled, settled_items
from review.services import claim_next, judge, make_gold, solve

PEOPLE: Final = {
    Role.MANAGER: ("manager", "林知夏"),
    Role.WRITER: ("writer", "周以安"),
    Role.REVIEWER: ("reviewer", "Ruth Adler"),
    Role.VERIFIER: ("verifier", "Tom Okafor"),
}
PROJECTS: Final = {"zh": ("xiaoyuyan", "小寓言集"), "en": ("small-fables", "Small Fables")}
LICENCE: Final = "CC BY 4.0"

# In this order, so that what shall stay in a queue is not taken out of it by what goes through.
WHOLE_WAY: Final = (State.VERIFIED, State.RETIRED)
PART_WAY: Final = (
    State.IN_VERIFICATION,
    State.IN_ADJUDICATION,
    State.RETURNED,
    State.REJECTED,
    State.WITHDRAWN,
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the sample; `password` is known only now, and empty where it was set before."""

    role: str
    username: str
    name: str
    password: str


@dataclass(frozen=True, slots=True)
class _Sample:
    stories: Reading[StoryRecord]
    items: Reading[ItemRecord]
    journeys: Mapping[str, Mapping[str, Any]]


@transaction.atomic
def load_sample(*, folder: Path, guidelines: Mapping[str, str], new_passwords: bool = False) -> list[Person]:
    """Load what of the sample is not there yet; answers its people, with passwords that are new."""
    people = {role: _person(role, new_passwords=new_passwords) for role in PEOPLE}
    users = {role: user for role, (user, _password) in people.items()}
    for language, (slug, name) in PROJECTS.items():
        if not Project.objects.filter(slug=slug).exists():
            _load_project(users, folder, language, slug, name, guidelines[language])
    return [Person(role, user.username, user.name, password) for role, (user, password) in people.items()]


def _person(role: Role, *, new_passwords: bool) -> tuple[User, str]:
    username, name = PEOPLE[role]
    password = secrets.token_urlsafe(9)
    user = User.objects.filter(username=username).first()
    if user is None:
        user = create_user(
            actor=system_account(),
            username=username,
            name=name,
            password=password,
            may_create_projects=role == Role.MANAGER,
        )
        return user, password
    if new_passwords:
        set_password(actor=system_account(), user=user, password=password)
        return user, password
    return user, ""


def _load_project(
    users: Mapping[Role, User], folder: Path, language: str, slug: str, name: str, guideline: str
) -> None:
    manager = users[Role.MANAGER]
    project = create_project(
        actor=manager, slug=slug, name=name, language=language, settings={"licence": LICENCE}
    )
    for role, user in users.items():
        set_roles(actor=manager, project=project, user=user, roles=[role])
    sample = _read(folder, language)
    _stop_on_errors(import_stories(actor=manager, project=project, reading=sample.stories))
    _walk(project, users, sample, WHOLE_WAY)
    _verify(project, users, sample)
    _walk(project, users, sample, PART_WAY)
    _end(project, users, sample)
    _bring_in(project, users, sample, [State.IN_REVIEW], State.IN_REVIEW)
    _bring_in(project, users, sample, [State.DRAFT], State.DRAFT)
    publish_guideline(actor=manager, project=project, text=guideline)
    take_next_story(actor=users[Role.WRITER], project=project)
    _practise(project, users, json.loads((folder / "practice.json").read_text("utf-8"))[language])
    _propose(project, users, json.loads((folder / "candidates.json").read_text("utf-8"))[language])


def _read(folder: Path, language: str) -> _Sample:
    parts = sorted(part for part in folder.iterdir() if part.is_dir())
    stories = b"".join((part / f"stories.{language}.jsonl").read_bytes() for part in parts)
    items = b"".join((part / f"items.{language}.jsonl").read_bytes() for part in parts)
    journeys: dict[str, Mapping[str, Any]] = {}
    for part in parts:
        lines = (part / "journeys.jsonl").read_text("utf-8").splitlines()
        journeys |= {journey["item"]: _in_language(journey, language) for journey in map(json.loads, lines)}
    return _Sample(
        read_stories(stories, name=f"stories.{language}.jsonl", format="jsonl"),
        read_items(items, name=f"items.{language}.jsonl", format="parable"),
        journeys,
    )


def _in_language(journey: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    reviews = [{**review, "comment": review["comment"][language]} for review in journey["reviews"]]
    return {**journey, "reviews": reviews}


def _stop_on_errors(result: Any) -> None:
    if result.is_broken:
        raise Unusable(str(result.issues[0]))


def _bring_in(
    project: Project,
    users: Mapping[Role, User],
    sample: _Sample,
    states: Iterable[str],
    state: str,
) -> None:
    """Import the items whose journeys end in one of these states."""
    wanted = set(states)
    rows = tuple(row for row in sample.items.rows if sample.journeys[row.record.id]["state"] in wanted)
    reading = Reading(sample.items.name, sample.items.format, rows, sample.items.errors)
    result = import_items(
        actor=users[Role.MANAGER],
        project=project,
        readings=[reading],
        state=state,
        writer=users[Role.WRITER],
    )
    _stop_on_errors(result)


def _walk(project: Project, users: Mapping[Role, User], sample: _Sample, states: Sequence[str]) -> None:
    """Bring items in and let the reviewer work the queue dry, as their journeys tell."""
    _bring_in(project, users, sample, states, State.IN_REVIEW)
    reviewer = users[Role.REVIEWER]
    while place := claim_next(actor=reviewer, project=project, stage=Stage.CROSS_CHECK):
        journey = sample.journeys[place.item.ref]
        found = journey["reviews"][0]
        review = solve(actor=reviewer, request=place, **_answer(place, found["answer"]))
        judge(
            actor=reviewer,
            review=review,
            rating=found["rating"],
            flaws=found["flaws"],
            comment=found["comment"],
            disposition=_disposition(journey["state"]),
        )


def _answer(place: ReviewRequest, answer: int | str) -> dict[str, Any]:
    """A journey's answer, an index into the writer's order, as the place drew it."""
    if answer == Answer.NONE_FITS:
        return {"answer": Answer.NONE_FITS}
    if answer == Answer.SEVERAL_FIT:
        return {"answer": Answer.SEVERAL_FIT, "several": [0, 1]}
    return {"answer": Answer.OPTION, "position": place.drawn_order.index(int(answer))}


def _disposition(state: str) -> str:
    """What the reviewer wanted of an item that ended in this state."""
    ends = {
        State.RETURNED: Disposition.RETURN,
        State.WITHDRAWN: Disposition.RETURN,
        State.REJECTED: Disposition.REJECT,
    }
    return ends.get(State(state), Disposition.PASS)


def _verify(project: Project, users: Mapping[Role, User], sample: _Sample) -> None:
    verifier = users[Role.VERIFIER]
    while place := claim_next(actor=verifier, project=project, stage=Stage.VERIFICATION):
        key = place.revision.options.get(is_key=True).position
        review = solve(actor=verifier, request=place, **_answer(place, key))
        marks = [position == key for position in review.drawn_order]
        judge(actor=verifier, review=review, disposition=Disposition.PASS, option_marks=marks)
    for item in _ending(project, sample, State.RETIRED):
        reason = sample.journeys[item.ref]["reviews"][0]["comment"]
        retire_item(actor=users[Role.MANAGER], item=item, reason=reason)


def _end(project: Project, users: Mapping[Role, User], sample: _Sample) -> None:
    """What happens to items after their cross-check, other than verification."""
    for item in _ending(project, sample, State.WITHDRAWN):
        if item.state == State.RETURNED:
            withdraw_item(actor=users[Role.WRITER], item=item)


def _ending(project: Project, sample: _Sample, state: str) -> Iterable[Item]:
    refs = [ref for ref, journey in sample.journeys.items() if journey["state"] == state]
    return Item.objects.filter(project=project, ref__in=refs).order_by("pk")


def _practise(project: Project, users: Mapping[Role, User], lessons: Mapping[str, str]) -> None:
    """Make practice items of verified ones: one as it stands, two with another option as the key.

    They reach whoever reviews later: the sample's own reviewer knows the stories.
    """
    manager = users[Role.MANAGER]
    verified = settled_items(project).filter(state=State.VERIFIED)
    for item, kind in zip(verified, ("sound", "wrong_key", "wrong_key"), strict=False):
        known = settled(item)
        assert known is not None  # noqa: S101 - two people let it stand
        content, expected = known.content, known.expected
        if kind != "sound":
            content, expected = plant(kind, content, good=expected)
        make_gold(actor=manager, item=item, content=content, expected=expected, lesson=lessons[kind])
    update_project(actor=manager, project=project, changes={"gold_rate": 10})


def _propose(project: Project, users: Mapping[Role, User], words: Mapping[str, Any]) -> None:
    """Leave candidates on the sheets of a few stories, brought in by hand as from a chat site."""
    endpoint = create_endpoint(
        actor=users[Role.MANAGER], project=project, kind=EndpointKind.BY_HAND, **words["endpoint"]
    )
    writer = users[Role.WRITER]
    template = create_template(actor=writer, project=project, wanted=4, **words["prompt"])
    create_template(
        actor=writer, project=project, wanted=3, purpose=Purpose.WRONG_OPTIONS, **words["stem_prompt"]
    )
    for ref, answer in words["answers"].items():
        paste_answer(
            actor=writer,
            story=Story.objects.get(project=project, ref=ref),
            template=template,
            endpoint=endpoint,
            model=endpoint.model,
            answer=answer,
        )
