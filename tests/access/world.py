"""Two projects with one of everything, and words in each that nobody outside it may ever read."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.queries import mail_token
from accounts.services import make_reset_link
from annotation.auditor import check_files
from annotation.content import ItemContent, OptionContent
from annotation.models import Item, WritingAssignment
from annotation.services import (
    order_audit,
    reserve_story,
    run_audit,
    save_draft,
    start_pilot,
    take_story,
)
from corpus.models import SimilarPair, Story
from corpus.services import confirm_group, keep_upload
from dashboard.models import BulkAction, Verb
from dashboard.services import hand_over, save_view
from evaluation.models import Examinee, ExamineeKind, Run
from evaluation.services import (
    invite_to_panel,
    open_panel,
    order_calibration,
    order_import,
    order_results,
    read_file,
    run_calibration,
)
from events.models import Delivery, DeliveryState, Event, Webhook
from events.services import order_events
from generation.services import create_template
from jobs.models import AllowedHost, KeyBinding
from jobs.services import bind_key, create_endpoint
from projects.models import CommonsenseType, Role
from projects.services import create_token, invite_people, publish_guideline, set_roles
from release.models import ErrorReport, Team, Upload
from release.services import (
    check_draft,
    create_draft,
    exclude_items,
    invite_team,
    override_gate,
    report_error,
)
from review.models import ReviewRequest, Stage
from review.services import claim_next
from tests.evaluation.test_items import _answer
from tests.factories import Cast, make_project, make_story, make_user, submit_item
from tests.generation.bench import start_batch
from tests.kinds.marked import marked_story, submit_marks
from tests.release.made import ALLOWED, bring, built, grant_rights, records
from tests.review.practice_cast import practice_item, verified

WITHHELD: Final = replace(ALLOWED, withhold_test=True)
ROLES: Final = (
    "anonymous",
    "outsider",
    "writer",
    "reviewer",
    "verifier",
    "manager",
    "observer",
    "foreign manager",
    "administrator",
)


@dataclass(slots=True)
class World:
    """One project: who is in it, what the parameters of its addresses can be, and its secrets."""

    cast: Cast
    mark: str
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def secrets(self) -> list[str]:
        """Words that nobody outside the project may read."""
        return [f"{kind}-{self.mark}" for kind in ("Title", "Moral", "Key", "Distractor", "Stem", "Name")]

    @property
    def blind(self) -> list[str]:
        """Words that a reviewer or verifier who has answered nothing may not read: moral and keys."""
        return [f"Moral-{self.mark}", f"Key-{self.mark}"]


def words(world: World, number: int = 0) -> ItemContent:
    """An item whose key and options can be recognised wherever they turn up."""
    mark = world.mark
    return ItemContent(
        stem=f"Why, Stem-{mark} {number}, did the hare fall asleep?",
        options=(
            OptionContent(f"Distractor-{mark} {number} was raining hard"),
            OptionContent(f"Key-{mark} {number} felt sure of winning", is_key=True),
            OptionContent(f"Distractor-{mark} {number} was night already"),
            OptionContent(f"Distractor-{mark} {number} was ill that day"),
        ),
        types=("social",),
        explanation=f"Key-{mark} {number} explains itself.",
    )


def make_world(mark: str) -> World:
    """A project with stories, items at every stage, a release, measurements and all that managers keep."""
    world = World(make_project(reviews_per_item=1), mark)
    _rename(world)
    _write(world)
    _mark(world)
    _manage(world)
    _release(world)
    _measure(world)
    _group(world)
    return world


def _rename(world: World) -> None:
    cast = world.cast
    User.objects.filter(pk=cast.writer.pk).update(name=f"Name-{world.mark}")
    type(cast.project).objects.filter(pk=cast.project.pk).update(name=f"Name-{world.mark} fables")
    cast.writer.refresh_from_db()
    cast.project.refresh_from_db()
    world.objects["slug"] = cast.project.slug


def _story(world: World, number: int) -> Story:
    return make_story(
        world.cast, title=f"Title-{world.mark} {number}", moral=f"Moral-{world.mark} {number} is steady."
    )


def _write(world: World) -> None:
    cast, made = world.cast, world.objects
    stories = [_story(world, number) for number in range(5)]
    made["gold"] = practice_item(cast, verified(cast, story=stories[0], words=words(world, 0))).pk
    items: list[Item] = [submit_item(cast, story=stories[1], words=words(world, n)) for n in (1, 2)]
    claimed = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    assert claimed is not None
    free = ReviewRequest.objects.filter(item__project=cast.project, claimed_by=None).first()
    assert free is not None
    take_story(actor=cast.writer2, story=stories[2])
    draft = save_draft(
        actor=cast.writer2, project=cast.project, story=stories[2], task="commonsense",
        client_id=uuid.uuid4(), sequence=1, content={"stem": f"Stem-{world.mark} of a draft"},
    )  # fmt: skip
    made |= {
        "story": stories[1].pk,
        "item": items[0].pk,
        "claimed": claimed.public_id,
        "draft": draft.client_id,
    }
    pilot = start_pilot(
        actor=cast.manager, project=cast.project, name=f"Name-{world.mark} pilot",
        stories=stories[3:4], writers=[cast.writer, cast.writer2],
    )  # fmt: skip
    made |= {"pilot": pilot.pk, "pilot_story": stories[3].pk}
    made["assignment"] = WritingAssignment.objects.filter(story=stories[2]).latest("pk").pk


def _manage(world: World) -> None:
    cast, made = world.cast, world.objects
    departing = make_user("Lea Leaver")
    set_roles(actor=cast.manager, project=cast.project, user=departing, roles=[Role.WRITER])
    take_story(actor=departing, story=_story(world, 5))
    made["hand_over"] = hand_over(
        actor=cast.manager, project=cast.project, departing=departing, receiver=cast.writer2
    ).pk
    made["reservation"] = reserve_story(
        actor=cast.manager, story=Story.objects.get(pk=made["story"]), writer=cast.writer2
    ).pk
    made["bulk"] = BulkAction.objects.create(
        project=cast.project, actor=cast.manager, listing="items", verb=Verb.FIRST, finished_at=timezone.now()
    ).pk
    made["view"] = save_view(
        actor=cast.manager, project=cast.project, listing="items", name=f"Name-{world.mark} view", query=""
    ).pk
    issued = invite_people(
        actor=cast.manager, project=cast.project, names=[f"Name-{world.mark} guest"], roles=[Role.WRITER]
    )[0]
    token = create_token(actor=cast.manager, name=f"Name-{world.mark} token", scopes=["read"], days=1)
    made |= {
        "invitation": issued.invitation.pk,
        "invitation_token": issued.token,
        "program": token.row.pk,
    }
    made["member"] = cast.writer2.pk
    made["type"] = CommonsenseType.objects.filter(project=cast.project).first().pk  # type: ignore[union-attr]
    publish_guideline(actor=cast.manager, project=cast.project, text=f"Name-{world.mark} guideline")
    endpoint = create_endpoint(
        actor=cast.manager, project=cast.project, name=f"Name-{world.mark} model", model="m",
        base_url="https://1.1.1.1/v1",
    )  # fmt: skip
    template = create_template(
        actor=cast.manager, project=cast.project, name=f"Name-{world.mark} prompt",
        text="{story} {moral} {n}", wanted=2,
    )  # fmt: skip
    batch = start_batch(
        actor=cast.manager, project=cast.project, stories=[Story.objects.get(pk=made["story"])],
        templates=[template], endpoints=[endpoint],
    ).batch  # fmt: skip
    made |= {"endpoint": endpoint.pk, "template": template.pk, "batch": batch.pk, "job": batch.job.pk}
    made |= _webhook(world)
    link = make_reset_link(actor=cast.manager, user=cast.writer2)
    made["checked_file"] = _checked_file(cast.manager)
    made |= {"uid": link.uid, "reset_token": link.token, "mail_token": mail_token(cast.writer)}


def _checked_file(user: User) -> str:
    """A file that somebody has checked without a project, by its token."""
    row = b"question,A,B,answer\nWhat did the crow drop?,a stone,a bone,A\n"
    audit = order_audit(actor=user, files=[("items.csv", ContentFile(row))])
    run_audit(audit_id=audit.pk, check=check_files)
    return audit.token


def _webhook(world: World) -> dict[str, Any]:
    """A webhook with a delivery that was given up. Its host is not allowed, so nothing is sent."""
    cast = world.cast
    webhook = Webhook.objects.create(
        project=cast.project,
        url=f"https://name-{world.mark}.example/",
        types=["item.verified"],
        created_by=cast.manager,
    )
    event = Event.objects.filter(project=cast.project, object_type="item")[0]
    order_events()
    delivery = Delivery.objects.create(
        webhook=webhook, event=event, about="item/1", state=DeliveryState.GIVEN_UP, ended_at=timezone.now()
    )
    return {"webhook": webhook.pk, "delivery": delivery.pk}


def _group(world: World) -> None:
    """Wordings of one story, a pair that was found similar, and uploads of the manager."""
    cast, made = world.cast, world.objects
    stories = [_story(world, number) for number in range(10, 14)]
    numbers = [story.pk for story in stories]
    made["story_group"] = confirm_group(actor=cast.manager, project=cast.project, stories=numbers[:2]).pk
    made["similar_pair"] = SimilarPair.objects.create(
        project=cast.project, first=stories[2], second=stories[3], similarity=0.9
    ).pk
    for purpose in ("item", "story"):
        file = ContentFile(json.dumps({"text": f"Stem-{world.mark}"}).encode())
        upload = keep_upload(
            actor=cast.manager, project=cast.project, purpose={"item": "items", "story": "stories"}[purpose],
            files=[("one.jsonl", file)], options={"format": "auto", "state": "draft", "writer": "Imported"},
        )  # fmt: skip
        made[f"{purpose}_upload"] = upload.token


def _release(world: World) -> None:
    cast, made, mark = world.cast, world.objects, world.mark
    bring(cast, [_marked(one, mark) for one in records(4)])
    grant_rights(cast)
    first, later = ("1.0.0", "1.0.1") if mark == "Ours" else ("2.0.0", "2.0.1")
    release = built(cast, version=first, seed=None, recipe=WITHHELD)
    assert release.state == "ready", release
    built(cast, version=later, seed=None, recipe=replace(WITHHELD, extends=first))
    team = invite_team(actor=cast.manager, release=release, name=f"Name-{mark} team", per_week=2)
    item = release.items.first()
    assert item is not None
    report = report_error(actor=None, item_id=item.public_id, fault="other", text=f"Stem-{mark} is odd.")
    made |= {
        "release": release,
        "version": first,
        "later": later,
        "file": "README.md",
        "team": Team.objects.get(release=release).pk,
        "team_token": team.token,
        "team_upload": Upload.objects.create(team=team.team, sha256="0" * 64, bytes=1, state="failed").pk,
        "report": ErrorReport.objects.get(released__release=release).pk,
        "report_token": report,
        "public_id": item.public_id,
        "release_draft": _release_draft(cast, first),
    }


def _release_draft(cast: Cast, version: str) -> int:
    """A release that is being prepared, with what the gates say of it and an item that it leaves out."""
    data = {"version": f"{int(version[0]) + 5}.0.0", "dev_share": "0.2", "split": "story", "seed": "7"}
    draft = create_draft(actor=cast.manager, project=cast.project, data=data)
    check_draft(draft_id=draft.pk)
    finding = draft.findings.filter(items__0__isnull=False).first()
    if finding is not None:
        items, gate, task = finding.items[:1], finding.gate, finding.task
        exclude_items(actor=cast.manager, draft=draft, gate=gate, task=task, items=items)
    override_gate(actor=cast.manager, draft=draft, gate="rights", reason="They are known.")
    return draft.pk


def _marked(record: Any, mark: str) -> Any:
    choices = tuple(
        f"{'Key' if index == record.answer else 'Distractor'}-{mark} {text}"
        for index, text in enumerate(record.choices)
    )
    return replace(record, choices=choices, title=f"Title-{mark} {record.title}", id=f"{mark}-{record.id}")


def _measure(world: World) -> None:
    cast, made, release = world.cast, world.objects, world.objects["release"]
    runs = [_run(world, number) for number in range(4)]
    calibration = order_calibration(actor=cast.manager, release=release, runs=runs, model="1pl")
    run_calibration(calibration_id=calibration.pk)
    results = order_results(actor=cast.manager, release=release, runs=runs[:2])
    line = {"model": f"Name-{world.mark} brought", "item_id": made["public_id"], "repeat": 1, "choice": 0}
    file = order_import(
        actor=cast.manager, release=release, name="answers.jsonl", data=json.dumps(line).encode() + b"\n"
    )
    read_file(file_id=file.pk)
    panel = open_panel(actor=cast.manager, release=release, split="both", sample_size=4, seed="3")
    seat = invite_to_panel(actor=cast.manager, run=panel, names=[f"Name-{world.mark} seat"], items_each=2)[0]
    made |= {
        "run": runs[0].pk,
        "examinee": runs[0].examinee_id,
        "calibration": calibration.pk,
        "results": results.pk,
        "response_file": file.pk,
        "panel": panel.pk,
        "seat": seat.seat.pk,
        "seat_token": seat.token,
    }


def _mark(world: World) -> None:
    """An item of a kind that a published data set has a file for."""
    cast = world.cast
    cast.project.tasks = [*cast.project.tasks, "anomaly_spans"]
    cast.project.save(update_fields=["tasks"])
    submit_marks(cast, story=marked_story(cast))


def _run(world: World, number: int) -> Run:
    release, cast = world.objects["release"], world.cast
    examinee = Examinee.objects.create(
        project=cast.project, name=f"Name-{world.mark} {number}", kind=ExamineeKind.IMPORTED,
        created_by=cast.manager,
    )  # fmt: skip
    items = list(release.items.order_by("number"))
    run = Run.objects.create(release=release, examinee=examinee, asked=len(items), created_by=cast.manager)
    run.responses.bulk_create(
        _answer(run, item, right=(index + number) % 3 > 0, is_wrong=False) for index, item in enumerate(items)
    )
    return run


@dataclass(slots=True)
class Scene:
    """Our project, a foreign one, and a browser for each role in ours."""

    ours: World
    foreign: World
    site: dict[str, Any]
    browsers: dict[str, Client]


def make_scene() -> Scene:
    """Both worlds, and what belongs to the site."""
    ours, foreign = make_world("Ours"), make_world("Foreign")
    administrator = make_user("Ada Administrator", administrator=True)
    bind_key(actor=administrator, variable="PARABLE_LLM_KEY_A", address="1.1.1.1")
    site = {"host": AllowedHost.objects.get().pk, "binding": KeyBinding.objects.get().pk}
    observer = make_user("Olga Observer")
    set_roles(actor=ours.cast.manager, project=ours.cast.project, user=observer, roles=[Role.OBSERVER])
    people = {
        "outsider": ours.cast.outsider,
        "writer": ours.cast.writer,
        "reviewer": ours.cast.reviewer,
        "verifier": ours.cast.verifier,
        "manager": ours.cast.manager,
        "observer": observer,
        "foreign manager": foreign.cast.manager,
        "administrator": administrator,
    }
    browsers = {"anonymous": Client(raise_request_exception=False)}
    for role, person in people.items():
        browsers[role] = Client(raise_request_exception=False)
        browsers[role].force_login(person)
    return Scene(ours, foreign, site, browsers)
