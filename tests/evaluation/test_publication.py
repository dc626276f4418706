"""A release's public page: off until it is opened, without a withheld key, and the same bytes twice."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override
from pytest_django import Settings

from accounts.models import User
from annotation.models import KeyExposure
from core.errors import Conflict, Forbidden
from evaluation import services
from evaluation.models import Portion, Publication, Response, Run
from evaluation.queries.dataset import archive_name, samples
from evaluation.queries.leaderboard import ALL_TASKS, _ranked, _Row, boards
from evaluation.queries.publication import page, pages
from jobs.models import Job, JobState
from parable.formats.options import letter
from parable.kinds import score_weights
from parable.psychometrics.bootstrap import wilson_interval
from release.models import Release, ReleaseItem, ReleaseState, Split
from release.queries.sample import sample_items
from release.score import step_of
from tests.evaluation.measuring import Bench
from tests.projects.pages import browser
from tests.release.made import ALLOWED, built

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


def test_it_writes_nothing_outside_the_folder(bench: Bench, tmp_path: Path, settings: Settings) -> None:
    settings.SITE_URL = "https://parable.example"
    opened(bench)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "files").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CommandError, match="would be written outside the folder"):
        run_publish(bench, str(tmp_path / "page"))
    assert not any((tmp_path / "elsewhere").iterdir())
    assert [each.name for each in (tmp_path / "page").iterdir()] == ["files"]


def test_it_writes_the_same_bytes_twice_and_loses_nobodys_files(
    bench: Bench, tmp_path: Path, settings: Settings
) -> None:
    settings.SITE_URL = "https://parable.example"
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


def test_each_item_has_its_id_its_key_and_a_link_to_report_an_error(bench: Bench) -> None:
    opened(bench)
    index, items = (Client().get(address(bench, name)).content.decode() for name in ("", "items-1.html"))
    assert 'href="/report?release=1.0.0"' in index
    articles = items.split("<article")[1:]
    for item, shown in zip(_of(bench, Split.DEV), articles, strict=True):
        assert f"<code>{item.public_id}</code>" in shown
        assert f'href="/report?item_id={item.public_id}&amp;release=1.0.0"' in shown
        assert f"<p>{letter(item.record['answer'])}" in shown
    form = Client().get(re.findall(r'href="(/report[^"]*)"', items)[0].replace("&amp;", "&"))
    assert form.context["form"]["item_id"].value() == _of(bench, Split.DEV)[0].public_id
    assert form.context["form"]["release"].value() == "1.0.0"


@pytest.mark.parametrize("site", ["", "https://parable.example"])
def test_a_folder_links_to_the_form_where_the_address_of_the_site_is_known(
    bench: Bench, tmp_path: Path, settings: Settings, site: str
) -> None:
    settings.SITE_URL = site
    opened(bench)
    run_publish(bench, str(tmp_path), stdout=StringIO())
    for name in ("index.html", "items-1.html"):
        links = re.findall(r'href="([^"]*/report[^"]*)"', (tmp_path / name).read_text(encoding="utf-8"))
        assert bool(links) == bool(site)
        assert all(link.startswith(f"{site}/report?") for link in links)


def test_sizes_of_files_read_as_they_do_for_managers(bench: Bench) -> None:
    index = page(opened(bench), "index.html").decode()
    for file in bench.release.artifacts.all():
        assert f'<td class="n">{filesizeformat(file.bytes)}</td>' in index
        assert f">{file.bytes}<" not in index


def test_it_is_set_in_the_fonts_of_the_application(bench: Bench) -> None:
    fonts = re.compile(r"--(?:say|set)-(?:en|zh): [^;]+;")
    ours = fonts.findall((site_settings.BASE_DIR / "static/css/parable.css").read_text(encoding="utf-8"))
    assert len(ours) == 4
    assert sorted(fonts.findall(page(opened(bench), "style.css").decode())) == sorted(ours)


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
        if board.task == ALL_TASKS:
            continue
        standing, before = board.standings[0], exact[board.task, board.split]
        if board.split == Split.DEV:
            assert standing == before
        else:
            size = step_of(standing.n)
            assert standing.step == size / standing.n
            assert (round(standing.accuracy * standing.n) % size, standing.accuracy <= before.accuracy) == (
                0,
                True,
            )
    assert b"Leaderboard" not in page(opened(bench, shows_scores=False), "index.html")


def answered_by_people(bench: Bench, *, sample: int, people: int) -> Run:
    """A panel whose people all answered the same items of the test."""
    manager = bench.cast.manager
    run = services.open_panel(actor=manager, release=bench.release, split=Split.TEST, sample_size=sample)
    names = [f"Person {number}" for number in range(people)]
    for issued in services.invite_to_panel(actor=manager, run=run, names=names, items_each=sample):
        while (place := services.next_place(seat=issued.seat)) is not None:
            services.answer_place(seat=issued.seat, position=place.position, shown=place.position % 2)
    return run


@pytest.mark.parametrize(("sample", "people"), [(6, 1), (12, 1), (12, 3)])
def test_people_stand_there_with_the_items_that_they_answered(bench: Bench, sample: int, people: int) -> None:
    run = answered_by_people(bench, sample=sample, people=people)
    for is_withheld in (False, True):
        bench.release.recipe["withhold_test"] = is_withheld
        shown = {board.task: board.standings[0] for board in boards(bench.release)}
        for task in ("commonsense", "moral"):
            came = Response.objects.filter(run=run, item__record__task=task)
            right, items = came.filter(correct=True).count(), came.values("item").distinct().count()
            step = step_of(len([one for one in _of(bench, Split.TEST) if one.record["task"] == task]))
            assert came.count() == items * people
            least = step if is_withheld else 1  # all six drawn may be of one task
            assert (task in shown) == (items >= least)
            if task not in shown:
                continue
            one, share = shown[task], right / people / items
            assert (one.n, one.is_people) == (items, True)
            if is_withheld:
                assert one.step == step / items
                assert one.accuracy <= share < one.accuracy + one.step
                low, high = (
                    wilson_interval(end * items, items)
                    for end in (one.accuracy, min(1, one.accuracy + one.step))
                )
                assert (one.low, one.high) == (low[0], high[1])
            else:
                assert one.accuracy == pytest.approx(share)
                assert (one.low, one.high) == pytest.approx(wilson_interval(share * items, items))


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
    later = bench.ran()
    assert later.job
    Response.objects.filter(run=later).update(correct=False)
    assert standings(bench) != before
    for state in (JobState.RUNNING, JobState.CANCELLED, JobState.FAILED):
        Job.objects.filter(pk=later.job.pk).update(state=state)
        assert standings(bench) == before, state


def test_an_examinee_stands_once_on_a_board(bench: Bench) -> None:
    bench.ran()
    before = standings(bench)
    bench.ran(split=Portion.DEV)
    assert standings(bench) == before


def test_members_who_read_keys_there_are_no_longer_blind(bench: Bench) -> None:
    seen, names = [], list(pages(opened(bench)))
    of_dev = next(name for name in names if "dev" in name and name.endswith(".jsonl"))
    for reader, file in ((bench.cast.reviewer, "items-1.html"), (bench.cast.reviewer2, of_dev)):
        client = browser(reader)
        for name in ("style.css", "page.js", "files/README.md"):
            assert client.get(address(bench, name)).getvalue()
        assert not shown_keys(reader)
        assert client.get(address(bench, file)).getvalue()
        seen.append(shown_keys(reader))
    assert set() < seen[0] <= seen[1]
    assert browser(bench.cast.outsider).get(address(bench, "items-1.html")).status_code == 200
    assert not shown_keys(bench.cast.outsider)


def test_members_who_open_the_page_have_seen_the_keys_of_its_samples(bench: Bench) -> None:
    opened(bench)
    samples = sample_items(bench.release)
    assert len(samples) == 3
    for number, name in enumerate(("", "index.html", "index.zh.html", "index.en.html")):
        reader = (bench.cast.reviewer, bench.cast.reviewer2, bench.cast.verifier, bench.cast.writer)[number]
        assert browser(reader).get(address(bench, name)).status_code == 200
        assert shown_keys(reader), name
    archive = archive_name(bench.release)
    assert browser(bench.cast.writer2).get(address(bench, archive)).getvalue()
    assert len(shown_keys(bench.cast.writer2)) > len(shown_keys(bench.cast.verifier))


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


def test_what_a_withheld_release_publishes_holds_no_withheld_key(
    bench: Bench, tmp_path: Path, settings: Settings
) -> None:
    settings.SITE_URL = "https://parable.example"
    secret = replace(ALLOWED, withhold_test=True)
    bench = replace(bench, release=built(bench.cast, version="2.0.0", seed=None, recipe=secret))
    bench.ran()
    answered_by_people(bench, sample=12, people=2)
    publication = opened(bench)
    run_publish(bench, str(tmp_path), stdout=StringIO())
    files = {
        str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()
    }
    assert set(files) == set(pages(publication))
    anyone = Client()
    assert all(anyone.get(address(bench, name)).getvalue() == data for name, data in files.items())
    test = {item.public_id: item.record for item in _of(bench, Split.TEST)}
    dev = {choice for item in _of(bench, Split.DEV) for choice in item.record["choices"]}
    assert len(test) > 10
    names, rows = {*test, *(record["source_id"] for record in test.values())}, 0
    packed = zipfile.ZipFile(io.BytesIO(files.pop(archive_name(bench.release))))
    folder = f"{bench.cast.project.slug}-2.0.0/"
    assert {f"files/{each.removeprefix(folder)}": packed.read(each) for each in packed.namelist()} == {
        name: data for name, data in files.items() if name.startswith("files/")
    }
    for name, data in files.items():
        text = data.decode()  # nothing is packed: what a person reads is what is searched
        assert bench.release.seed not in text, name
        for record in test.values():
            assert not record["explanation"] or record["explanation"] not in text, name
            visible = [choice for choice in record["choices"] if choice not in dev and choice in text]
            assert not visible or name.endswith((".jsonl", ".json")), name
        rows += sum(_tells_no_key(row, names) for row in _rows(name, text))
    assert rows >= len(test)


def _rows(name: str, text: str) -> Iterator[dict[str, Any]]:
    """All objects of a file of JSON or of lines of JSON, however deep they lie."""
    lines = [text] if name.endswith(".json") else text.splitlines() if name.endswith(".jsonl") else []
    waiting = [json.loads(line) for line in lines]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []


SHOWN = {
    "id", "source_id", "task", "split", "style", "story_id", "title", "story", "question", "choices",
    "options", "types", "type", "generators", "language", "canary",
}  # fmt: skip
WITHHELD = (None, "", -1)


def _tells_no_key(row: dict[str, Any], test: set[str]) -> bool:
    """Whether a row is about an item of the test; it fails where its key could be told."""
    if test.isdisjoint(value for value in row.values() if isinstance(value, str)):
        return False
    assert not {name: value for name, value in row.items() if value not in WITHHELD and name not in SHOWN}
    return True


def _of(bench: Bench, split: str) -> list[ReleaseItem]:
    return list(ReleaseItem.objects.filter(release=bench.release, split=split))


def test_the_address_without_a_version_leads_to_the_newest_and_older_pages_say_so(bench: Bench) -> None:
    anyone = Client()
    slug = bench.cast.project.slug
    assert anyone.get(f"/r/{slug}/").status_code == 404
    opened(bench)
    assert anyone.get(f"/r/{slug}/").headers["Location"] == f"/r/{slug}/1.0.0/"
    assert b"There is a newer version" not in anyone.get(address(bench)).content
    for version in ("1.10.0", "1.9.0", "2.0.0-rc.1"):
        opened(replace(bench, release=built(bench.cast, version=version)))
        assert anyone.get(f"/r/{slug}/").headers["Location"] == f"/r/{slug}/1.10.0/"
    older, newest = (anyone.get(f"/r/{slug}/{version}/").content.decode() for version in ("1.0.0", "1.10.0"))
    assert "There is a newer version: 1.10.0." in older
    assert f'href="/r/{slug}/1.10.0/"' in older
    assert "There is a newer version" not in newest
    services.set_publication(
        actor=bench.cast.manager,
        release=Release.objects.get(version="1.10.0"),
        is_open=False,
        shows_scores=True,
    )
    assert anyone.get(f"/r/{slug}/").headers["Location"] == f"/r/{slug}/1.9.0/"


@pytest.mark.parametrize(
    ("asked", "name", "says"),
    [
        ({}, "", 'lang="en"'),
        ({"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9"}, "", 'lang="zh-hans"'),
        ({"HTTP_ACCEPT_LANGUAGE": "zh-CN"}, "items-1.html", 'lang="zh-hans"'),
        ({"HTTP_ACCEPT_LANGUAGE": "zh-CN"}, "index.en.html", 'lang="en"'),
        ({"HTTP_ACCEPT_LANGUAGE": "en"}, "index.zh.html", 'lang="zh-hans"'),
    ],
)
def test_its_language_is_that_of_the_browser_or_of_the_link(
    bench: Bench, asked: dict[str, Any], name: str, says: str
) -> None:
    opened(bench)
    answer = Client().get(address(bench, name), **asked)
    assert f"<html {says}>" in answer.content.decode()
    assert "Accept-Language" in answer.headers["Vary"]


def test_it_has_samples_of_dev_with_their_stories_and_never_of_test(bench: Bench) -> None:
    opened(bench)
    dev = {item.public_id: item.record for item in _of(bench, Split.DEV)}
    for name in ("", "index.zh.html", "index.en.html"):
        text = Client().get(address(bench, name)).content.decode()
        shown = re.findall(r'<article class="sample".*?</article>', text, flags=re.DOTALL)
        assert len(shown) == 3
        for article in shown:
            record = dev[re.findall(r"<code>(.*?)</code>", article)[0]]
            assert all(part in article for part in (record["title"], record["question"], *record["choices"]))
            assert f'<p class="set text">{letter(record["answer"])}' in article
        for item in _of(bench, Split.TEST):
            assert item.public_id not in text
    bench.release.manifest["counts"] = {"moral": {"test": 9}}
    assert sample_items(bench.release) == []


def test_test_comes_first_and_the_overall_score_before_the_tasks(bench: Bench) -> None:
    bench.ran()
    found = boards(bench.release)
    assert [(one.split, one.task) for one in found] == [
        ("test", ""), ("test", "commonsense"), ("test", "moral"),
        ("dev", ""), ("dev", "commonsense"), ("dev", "moral"),
    ]  # fmt: skip
    overall, *tasks = found[:3]
    weights = score_weights()
    assert overall.standings[0].accuracy == pytest.approx(
        sum(weights[one.task] * one.standings[0].accuracy for one in tasks)
    )
    assert overall.chance == pytest.approx(0.25)
    assert overall.standings[0].n == sum(one.standings[0].n for one in tasks)


def test_the_overall_score_of_a_withheld_test_tells_no_more_than_its_tasks(bench: Bench) -> None:
    bench.ran()
    bench.release.recipe["withhold_test"] = True
    before = [board.standings for board in boards(bench.release) if board.split == Split.TEST]
    for board in before[1:]:
        assert (board[0].accuracy * board[0].n) % step_of(board[0].n) == pytest.approx(0)
    overall, *tasks = (board[0] for board in before)
    weights = score_weights()
    assert overall.accuracy == pytest.approx(
        sum(weights[task] * one.accuracy for task, one in zip(("commonsense", "moral"), tasks, strict=True))
    )
    assert overall.low <= overall.accuracy < overall.accuracy + overall.step <= overall.high


def test_the_authors_are_those_that_a_manager_names(bench: Bench) -> None:
    settings = reverse("evaluation:publication", args=[bench.cast.project.slug, bench.release.version])
    manager = browser(bench.cast.manager)
    sent = {"is_open": "on", "authors": "Lim, Grace\n\nFable <Lab>\n"}
    assert manager.post(settings, sent).status_code == 302
    page_text = Client().get(address(bench)).content.decode()
    assert "author  = {Lim, Grace and {Fable &lt;Lab&gt;}}" in page_text
    assert manager.post(settings, sent | {"authors": "x" * 5000}).status_code == 400
    later = built(bench.cast, version="1.1.0")
    shown = manager.get(reverse("evaluation:publication", args=[bench.cast.project.slug, later.version]))
    assert "Lim, Grace" in shown.content.decode()


def test_the_leaderboard_is_there_as_files_unless_it_is_off(bench: Bench) -> None:
    publication = opened(bench)
    anyone = Client()
    assert anyone.get(address(bench, "leaderboard.csv")).status_code == 404
    bench.ran()
    rows = anyone.get(address(bench, "leaderboard.csv")).content.decode("utf-8-sig").splitlines()
    assert rows[0] == "split,task,rank,examinee,people,items,accuracy,low,high,step"
    assert rows[1].startswith("test,all,1,stub-letter,0,14,")
    assert anyone.get(address(bench, "leaderboard.svg")).content.startswith(b"<svg")
    assert {"leaderboard.csv", "leaderboard.svg"} <= set(pages(publication))
    opened(bench, shows_scores=False)
    assert anyone.get(address(bench, "leaderboard.csv")).status_code == 404


def test_ranks_are_shared_where_intervals_overlap() -> None:
    def row(name: str, accuracy: float, half: float) -> _Row:
        return _Row(0, name, False, 9, accuracy, accuracy, accuracy - half, accuracy + half, 0)

    rows = [row("b", 0.8, 0.05), row("a", 0.9, 0.05), row("c", 0.5, 0.05), row("d", 0.3, 0.06)]
    assert [(one.name, one.rank) for one in _ranked(rows)] == [
        ("a", "1–2"), ("b", "1–2"), ("c", "3"), ("d", "4")
    ]  # fmt: skip
    touching = [row("a", 0.9, 0.05), row("b", 0.79, 0.05)]
    assert [one.rank for one in _ranked(touching)] == ["1", "2"]


@pytest.mark.parametrize(("language", "column"), [("zh-hans", 1), ("en", 2)])
def test_samples_name_types_in_the_language_of_the_page(bench: Bench, language: str, column: int) -> None:
    known = {row[0]: row[column] for row in bench.release.manifest["facts"]["types"]}
    with override(language):
        found = [(one["types"], one["type_names"]) for one in samples(bench.release) if one["types"]]
    assert found
    for codes, names in found:
        assert names == [known[code] for code in codes]
        assert names != codes


def test_members_see_the_same_page_without_keys(bench: Bench) -> None:
    bench.ran()
    where = reverse("evaluation:dataset", args=[bench.cast.project.slug, bench.release.version])
    detail = reverse("release:detail", args=[bench.cast.project.slug, bench.release.version])
    manager = browser(bench.cast.manager)
    assert f'hx-get="{where}"' in manager.get(detail).content.decode()
    with CaptureQueriesContext(connection) as asked:
        text = manager.get(where).content.decode()
    assert len(asked) < 35
    for part in ('id="use-datasets"', 'id="bibtex"', 'id="leaderboard"', 'class="bar-of-checks"'):
        assert part in text
    assert text.count('<article class="sample"') == 3
    assert "Show the answer" not in text
    assert not shown_keys(bench.cast.manager)
    assert browser(bench.cast.writer).get(where).status_code == 403
    assert browser(bench.cast.outsider).get(where).status_code == 404


def test_it_takes_as_many_statements_for_many_versions_and_runs_as_for_few(bench: Bench) -> None:
    publication = opened(bench)
    bench.ran()
    few = _statements(publication)
    for model in ("stub-first", "stub-second"):
        bench.ran(bench.model(model))
    for version in ("1.1.0", "1.2.0"):
        opened(replace(bench, release=built(bench.cast, version=version)))
    assert _statements(publication) == few < 30


def _statements(publication: Publication) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert page(publication, "index.en.html", site="")
    return len(captured)
