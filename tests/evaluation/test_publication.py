"""A release's public page: off until it is opened, without a withheld key, and the same bytes twice."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.models import KeyExposure
from core.errors import Conflict, Forbidden
from evaluation import services
from evaluation.models import Portion, Publication, Response
from evaluation.queries.publication import boards, page, pages
from jobs.models import Work, WorkState
from release.models import Release, ReleaseItem, ReleaseState, Split
from release.score import step_of
from tests.evaluation.measuring import Bench
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def opened(bench: Bench, **more: Any) -> Publication:
    wanted = {"is_open": True, "shows_scores": True} | more
    return services.set_publication(actor=bench.cast.manager, release=bench.release, **wanted)


def address(bench: Bench, name: str = "") -> str:
    return f"/r/{bench.cast.project.slug}/{bench.release.version}/{name}"


def run_publish(bench: Bench, folder: str, **more: Any) -> None:
    call_command("publish", bench.release.version, folder, project=bench.cast.project.slug, **more)


def test_it_is_not_there_until_a_manager_opens_it_and_again_when_it_is_closed(bench: Bench) -> None:
    anyone = Client()
    assert anyone.get(address(bench)).status_code == 404
    settings = reverse("evaluation:publication", args=[bench.cast.project.slug, bench.release.version])
    assert browser(bench.cast.reviewer).post(settings, {"is_open": "on"}).status_code == 403
    manager = browser(bench.cast.manager)
    assert manager.get(settings).status_code == 200
    assert manager.post(settings, {"is_open": "on", "shows_scores": "on"}).status_code == 302
    for name in ("", "items-1.html", "style.css", "files/README.md"):
        answer = anyone.get(address(bench, name))
        assert answer.status_code == 200, name
        assert answer.getvalue()
    for name in (
        "items-0.html",
        "items-01.html",
        "items-99.html",
        "items-x.html",
        "files/../settings.py",
        "files/none",
        "x",
    ):
        assert anyone.get(address(bench, name)).status_code == 404, name
    assert manager.post(settings, {}).status_code == 302
    assert anyone.get(address(bench)).status_code == 404


def test_it_goes_with_a_release_that_is_withdrawn_and_needs_one_that_is_ready(bench: Bench) -> None:
    opened(bench)
    Release.objects.filter(pk=bench.release.pk).update(state=ReleaseState.WITHDRAWN, reason="Wrong keys.")
    assert Client().get(address(bench)).status_code == 404
    bench.release.refresh_from_db()
    with pytest.raises(Conflict):
        opened(bench)
    with pytest.raises(Forbidden):
        services.set_publication(
            actor=bench.cast.writer, release=bench.release, is_open=True, shows_scores=True
        )


def test_it_refuses_an_anonymous_release(bench: Bench) -> None:
    bench.release.recipe["anonymous"] = True
    with pytest.raises(Conflict, match="name the project"):
        opened(bench)


def test_it_writes_the_same_bytes_twice_and_loses_nobodys_files(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run_publish(bench, str(tmp_path))
    publication = opened(bench)
    written = []
    for folder in ("one", "two"):
        where = tmp_path / folder
        where.mkdir()
        run_publish(bench, str(where), stdout=StringIO())
        written.append({str(f.relative_to(where)): f.read_bytes() for f in where.rglob("*") if f.is_file()})
    assert written[0] == written[1]
    assert set(written[0]) == set(pages(publication))
    assert written[0]["index.html"] == Client().get(address(bench)).content
    (tmp_path / "one" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CommandError, match=r"mine\.txt"):
        run_publish(bench, str(tmp_path / "one"))


def test_its_pages_link_only_to_what_is_there(bench: Bench) -> None:
    publication = opened(bench)
    names = set(pages(publication))
    for name in names:
        if name.endswith(".html"):
            text = page(publication, name).decode()
            for part in text.split('href="')[1:]:
                link = part.partition('"')[0]
                assert link.startswith(("#", "http")) or link in names, f"{name} links to {link}"


def test_it_ranks_examinees_with_intervals_and_ties_in_steps_where_answers_are_withheld(bench: Bench) -> None:
    bench.ran()
    publication = opened(bench)
    exact = {(one.task, one.split): one.standings[0] for one in boards(bench.release)}
    assert {split for _task, split in exact} == {Split.DEV, Split.TEST}
    assert all(one.low <= one.accuracy <= one.high and not one.step for one in exact.values())
    assert b"Leaderboard" in page(publication, "index.html")
    bench.release.recipe["withhold_test"] = True
    for board in boards(bench.release):
        told, before = board.standings[0], exact[board.task, board.split]
        if board.split == Split.DEV:
            assert told == before
        else:
            size = step_of(told.n)
            assert told.step == size / told.n
            assert (round(told.accuracy * told.n) % size, told.accuracy <= before.accuracy) == (0, True)
    assert b"Leaderboard" not in page(opened(bench, shows_scores=False), "index.html")


def standings(bench: Bench) -> list[tuple[str, int]]:
    """Who stands on the boards of dev, each with the share of right answers in a hundred."""
    return [
        (one.name, round(100 * one.accuracy))
        for board in boards(bench.release)
        if board.split == Split.DEV
        for one in board.standings
    ]


def test_a_run_that_was_cut_short_is_on_no_leaderboard_and_hides_none(bench: Bench) -> None:
    bench.ran()
    before = standings(bench)
    assert before
    for state in (WorkState.RUNNING, WorkState.CANCELLED, WorkState.FAILED):
        later = bench.ran()
        assert later.job
        Work.objects.filter(pk=later.job.pk).update(state=state)
        Response.objects.filter(run=later).update(correct=False)
        assert standings(bench) == before, state


def test_an_examinee_stands_once_on_a_board(bench: Bench) -> None:
    bench.ran()
    before = standings(bench)
    bench.ran(split=Portion.DEV)
    assert standings(bench) == before


def test_members_who_read_keys_there_are_no_longer_blind(bench: Bench) -> None:
    told, names = [], list(pages(opened(bench)))
    of_dev = next(name for name in names if "dev" in name and name.endswith(".jsonl"))
    for reader, file in ((bench.cast.reviewer, "items-1.html"), (bench.cast.reviewer2, of_dev)):
        client = browser(reader)
        for name in ("", "style.css", "files/README.md"):
            assert client.get(address(bench, name)).getvalue()
        assert not shown_keys(reader)
        assert client.get(address(bench, file)).getvalue()
        told.append(shown_keys(reader))
    assert set() < told[0] <= told[1]
    assert browser(bench.cast.outsider).get(address(bench, "items-1.html")).status_code == 200
    assert not shown_keys(bench.cast.outsider)


def shown_keys(reader: User) -> set[tuple[int | None, int | None, str]]:
    """The items, or the stories with a task, whose keys this person was shown."""
    return set(KeyExposure.objects.filter(user=reader).values_list("item", "story", "task"))


def test_its_pages_show_dev_items_alone(bench: Bench) -> None:
    publication = opened(bench)
    html = [name for name in pages(publication) if name.endswith(".html")]
    shown = b"".join(page(publication, name) for name in html).decode()
    dev = {choice for item in _of(bench, Split.DEV) for choice in item.record["choices"]}
    test = {choice for item in _of(bench, Split.TEST) for choice in item.record["choices"]} - dev
    assert all(choice in shown for choice in dev)
    assert test
    assert not [choice for choice in test if f">{choice}<" in shown]


def _of(bench: Bench, split: str) -> list[ReleaseItem]:
    return list(ReleaseItem.objects.filter(release=bench.release, split=split))
