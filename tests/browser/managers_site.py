"""A project that has been released and measured: what the pages of a manager look like in use."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.test import Client
from django.urls import resolve
from pytest_django.live_server_helper import LiveServer

from evaluation import services as measuring
from parable.llm.stub import StubServer
from release import services as releasing
from release.assembly.recipe import Recipe
from release.models import ErrorKind, ErrorReport, Release, ReleaseItem, Remedy
from tests.access.routes import routes
from tests.evaluation.measuring import ITEMS, Bench, make_bench
from tests.evaluation.test_items import answering
from tests.factories import Cast
from tests.release.made import ALLOWED, bring, built, records

PAGES: Final = {
    "releases": "{project}/releases",
    "build": "{project}/releases/new",
    "release": "{project}/releases/1.0.0",
    "release-extended": "{project}/releases/1.1.0",
    "release-withheld": "{project}/releases/2.0.0",
    "release-stopped": "{project}/releases/3.0.0",
    "release-gates": "{project}/releases/1.1.0/gates",
    "release-card": "{project}/releases/1.1.0/card",
    "release-reports": "{project}/releases/1.1.0/reports",
    "draft-contents": "{project}/releases/drafts/{draft}/contents",
    "draft-gates": "{project}/releases/drafts/{draft}/gates",
    "draft-settings": "{project}/releases/drafts/{draft}/settings",
    "draft-build": "{project}/releases/drafts/{draft}/build",
    "draft-items": "{project}/releases/drafts/{draft}/items?which=excluded",
    "teams": "{project}/releases/2.0.0/teams",
    "compare": "{project}/releases/1.0.0/compare/1.1.0",
    "downloads": "{project}/releases/1.0.0/downloads",
    "no-downloads": "{project}/releases/2.0.0/downloads",
    "publication": "{project}/releases/1.0.0/public",
    "short-form": "{project}/releases/1.0.0/short-form",
    "gates": "{project}/gates",
    "reports": "{project}/reports",
    "report-waiting": "{project}/reports/{waiting}",
    "report-answered": "{project}/reports/{answered}",
    "runs": "{project}/evaluation",
    "run-new": "{project}/evaluation/new",
    "run": "{project}/evaluation/runs/{run}",
    "answers": "{project}/evaluation/runs/{run}/responses",
    "import": "{project}/evaluation/import",
    "imported": "{project}/evaluation/import/{imported}",
    "panel-new": "{project}/evaluation/panels/new",
    "panel": "{project}/evaluation/panels/{panel}",
    "results": "{project}/evaluation/results?release=1.0.0",
    "result": "{project}/evaluation/results/{results}",
    "result-outcomes": "{project}/evaluation/results/{results}?view=outcomes",
    "result-items": "{project}/evaluation/results/{results}/items?outcome=wrong",
    "replication": "{project}/evaluation/results/{results}/published",
    "calibrations": "{project}/evaluation/item-analysis",
    "calibration": "{project}/evaluation/item-analysis/{calibration}",
    "calibration-set": "{project}/evaluation/item-analysis/{calibration}?view=set",
    "calibration-examinees": "{project}/evaluation/item-analysis/{calibration}?view=examinees",
    "calibration-all": "{project}/evaluation/item-analysis/{calibration}/items",
    "calibration-one": "{project}/evaluation/item-analysis/{calibration}/items/{item}",
}
"""By name, the address of each page of releases and measuring that a manager can open."""

PUBLIC: Final = {
    "report": "/report",
    "report-status": "/report/{report_link}",
    "score": "/score/{team_link}",
    "solve": "/solve/{panel_link}",
    "public": "/r/{slug}/1.0.0/",
    "public-items": "/r/{slug}/1.0.0/items-1.html",
}
"""Those that people open who are not signed in."""

WALKED: Final = ("release:", "evaluation:")
"""The apps whose other pages are found by a walk over their routes; links lead to those of the rest."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A server with the project, the manager's session there, and what its addresses hold."""

    server: LiveServer
    cast: Cast
    session: str
    parts: dict[str, object]

    def path(self, rest: str) -> str:
        """The address of a page from the root of the site, its parts in braces filled in."""
        return rest.format(project=f"/p/{self.cast.project.slug}", **self.parts)


def other_pages(site: Measured) -> dict[str, str]:
    """By route, the address of each page that a manager can open and that none of those above leads to."""
    client = Client()
    client.force_login(site.cast.manager)
    parts = site.parts
    there = {
        "slug": site.cast.project.slug, "version": "1.0.0", "later": "1.1.0", "file": "README.md",
        "release_draft": parts["draft"], "report": parts["waiting"], "report_token": parts["report_link"],
        "team_token": parts["team_link"], "response_file": parts["imported"], "run": parts["run"],
        "panel": parts["panel"], "seat_token": parts["panel_link"], "results": parts["results"],
        "calibration": parts["calibration"], "public_id": parts["item"],
    }  # fmt: skip
    known = {
        resolve(site.path(rest).partition("?")[0]).view_name for rest in (*PAGES.values(), *PUBLIC.values())
    }
    found = {}
    for route in routes():
        if route.name.startswith(WALKED) and route.takes("GET"):
            address = route.address(there, there)
            answer = client.get(address)
            assert answer.status_code < 500, address
            if answer.status_code == 200 and b"<html" in b"".join(answer)[:2000]:
                found[route.name] = address
    assert found.keys() & known, "it finds those that are named as well"
    return {name: address for name, address in found.items() if name not in known}


def measured_site(server: LiveServer, model: StubServer, language: str) -> Measured:
    """Releases in every state, errors reported, teams, runs, people, tables and a calibration."""
    bench = make_bench(model, language)
    reports = _reported(bench)
    run = bench.ran(order="circular", sample_size=3)
    runs = answering(bench)
    results = measuring.order_results(actor=bench.cast.manager, release=bench.release, runs=runs)
    measuring.count_results(results_id=results.pk)
    measuring.keep_figures(
        actor=bench.cast.manager,
        results=results,
        name="paper.csv",
        data=b"table,row,task,column,published,n\naccuracy,absent,,accuracy:moral,66.67,9\n",
    )
    calibration = measuring.order_calibration(
        actor=bench.cast.manager, release=bench.release, runs=runs, model="2pl"
    )
    measuring.run_calibration(calibration_id=calibration.pk)
    parts = reports | _asked_people(bench) | _released_again(bench)
    parts |= {
        "run": run.pk,
        "results": results.pk,
        "calibration": calibration.pk,
        "imported": _brought(bench),
    }
    parts |= {"slug": bench.cast.project.slug}
    measuring.set_publication(
        actor=bench.cast.manager, release=bench.release, is_open=True, shows_scores=True
    )
    releasing.record_download(actor=bench.cast.manager, release=bench.release, name="*")
    bring(bench.cast, records(5)[ITEMS:])  # on their way to a release: what the page of gates looks at
    releasing.order_gate_check(actor=bench.cast.manager, project=bench.cast.project)
    releasing.run_gate_check(project_id=bench.cast.project.pk)
    client = Client()
    client.force_login(bench.cast.manager)
    return Measured(server, bench.cast, client.cookies[settings.SESSION_COOKIE_NAME].value, parts)


def _reported(bench: Bench) -> dict[str, object]:
    """An error that was owned to, which the next release mends, and one that waits."""
    names = [
        item.public_id for item in ReleaseItem.objects.filter(release=bench.release).order_by("number")[:2]
    ]
    links = [
        releasing.report_error(actor=None, item_id=name, fault=ErrorKind.WRONG_KEY, text="B fits too.")
        for name in names
    ]
    answered, waiting = ErrorReport.objects.filter(released__release=bench.release).order_by("pk")
    releasing.answer_report(
        actor=bench.cast.manager, report=answered, answer="It does.", remedy=Remedy.RETIRE, note="Two fit."
    )
    return {"answered": answered.pk, "waiting": waiting.pk, "report_link": links[1], "item": names[0]}


def _released_again(bench: Bench) -> dict[str, object]:
    """What extends the first release, one with answers withheld that a team is scored on, one that failed."""
    later = built(bench.cast, version="1.1.0", recipe=replace(ALLOWED, extends="1.0.0"))
    compared = releasing.order_comparison(actor=bench.cast.manager, before=bench.release, after=later)
    releasing.make_comparison(comparison_id=compared.pk)
    secret = built(bench.cast, version="2.0.0", seed=None, recipe=replace(ALLOWED, withhold_test=True))
    team = releasing.invite_team(actor=bench.cast.manager, release=secret, name="Laboratory", per_week=2)
    upload = releasing.upload_responses(token=team.token, content=_chosen(secret, split="test"))
    releasing.score_upload(upload_id=upload.pk)
    stopped = releasing.order_release(
        actor=bench.cast.manager,
        project=bench.cast.project,
        version="3.0.0",
        seed="7",
        recipe=Recipe(split="item", dev_share="0.2"),
    )
    releasing.finish_release(release_id=stopped.pk)
    return {"team_link": team.token, "draft": _drafted(bench)}


def _drafted(bench: Bench) -> int:
    """A release that is being prepared, as the gates see it."""
    data = {"version": "4.0.0", "dev_share": "0.2", "split": "item", "seed": "7"}
    draft = releasing.create_draft(actor=bench.cast.manager, project=bench.cast.project, data=data)
    releasing.check_draft(draft_id=draft.pk)
    releasing.override_gate(
        actor=bench.cast.manager, draft=draft, gate="split_leak", reason="A trial of items."
    )
    return draft.pk


def _asked_people(bench: Bench) -> dict[str, object]:
    manager = bench.cast.manager
    panel = measuring.open_panel(actor=manager, release=bench.release, split="both", sample_size=4, seed="7")
    names = ["Ann", "Bo"]
    issued = measuring.invite_to_panel(actor=manager, run=panel, names=names, items_each=2)
    measuring.keep_panel_links(actor=manager, run=panel, issued=issued)
    measuring.next_place(seat=issued[0].seat)
    measuring.answer_place(seat=issued[0].seat, position=1, shown=0)
    return {"panel": panel.pk, "panel_link": issued[1].token}


def _brought(bench: Bench) -> int:
    data = _chosen(bench.release, split="dev")
    file = measuring.order_import(
        actor=bench.cast.manager, release=bench.release, name="answers.jsonl", data=data
    )
    return measuring.read_file(file_id=file.pk).pk


def _chosen(release: Release, *, split: str) -> bytes:
    """Responses that always choose the first option."""
    rows = [
        {"model": "first", "item_id": item.public_id, "repeat": 1, "choice": 0}
        for item in ReleaseItem.objects.filter(release=release, split=split)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
