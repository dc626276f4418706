"""The pages of measuring: for managers; and what an invited person sees, who has no account."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from evaluation import services
from evaluation.models import PanelItem, Response, Run
from evaluation.queries.response import responses
from evaluation.queries.run import tally
from projects.services import set_roles
from release.models import ReleaseItem
from tests.evaluation.measuring import ITEMS, Bench, brought, signed_in, work_off
from tests.evaluation.test_panels import invited, panel
from tests.factories import make_user


def page(bench: Bench, name: str, *more: object) -> str:
    app = "dashboard" if name == "runs" else "evaluation"
    return reverse(f"{app}:{name}", args=[bench.cast.project.slug, *more])


def test_it_shows_runs_to_managers_and_to_nobody_else(bench: Bench) -> None:
    run, people = bench.ran(sample_size=2), panel(bench)
    pages = [
        *(page(bench, name) for name in ("runs", "start", "import", "new_panel")),
        *(page(bench, name, run.pk) for name in ("run", "responses")),
        *(page(bench, name, people.pk) for name in ("panel", "responses")),
    ]
    manager, writer, outsider = map(signed_in, (bench.cast.manager, bench.cast.writer, bench.cast.outsider))
    for address in pages:
        assert manager.get(address).status_code == 200, address
        assert writer.get(address).status_code == 403, address
        assert outsider.get(address).status_code == 404, address
        assert Client().get(address).status_code == 302, address
    assert manager.get(page(bench, "run", people.pk)).status_code == 302
    assert manager.get(page(bench, "run", 10**9)).status_code == 404
    assert manager.get(page(bench, "panel", run.pk)).status_code == 404
    assert page(bench, "runs") in manager.get(page(bench, "runs")).content.decode()


def test_it_estimates_and_starts_a_run_a_model(bench: Bench) -> None:
    client, second = signed_in(bench.cast.manager), bench.model("stub-think")
    sent: dict[str, Any] = {
        "release": bench.release.pk,
        "endpoints": [bench.endpoint.pk, second.pk],
        "split": "both",
        "repeats": 2,
        "order": "circular",
        "seed": "7",
        "sample_size": 5,
        "prompt": "{story} {question} {options}",
        "budget": "",
    }
    guessed = client.get(page(bench, "start"), sent, headers={"HX-Request": "true"})
    assert re.search(r'<td class="n">\s*40\s*</td>', guessed.content.decode())
    assert client.post(page(bench, "start"), sent | {"prompt": "no place"}).status_code == 400
    assert not Run.objects.exists()
    assert client.post(page(bench, "start"), sent)["Location"] == page(bench, "runs")
    runs = list(Run.objects.select_related("job"))
    assert {run.examinee.endpoint for run in runs} == {bench.endpoint, second}
    assert all(run.prompt == sent["prompt"] for run in runs)
    work_off(services.prepare_run(run_id=runs[0].pk))
    assert Response.objects.filter(run=runs[0]).count() == 40


def test_it_shows_answers_beside_keys_and_narrows_them(bench: Bench) -> None:
    run, client = bench.ran(), signed_in(bench.cast.manager)
    wrong = Response.objects.filter(run=run, correct=False).count()
    assert 0 < wrong < ITEMS
    response = client.get(page(bench, "responses", run.pk), {"right": "no"})
    assert response.context["page_obj"].paginator.count == wrong
    one = Response.objects.filter(run=run).select_related("item")[0]
    found = client.get(page(bench, "responses", run.pk), {"q": one.item.public_id}).content.decode()
    assert one.item.record["choices"][one.item.record["answer"]] in found

    def asked(search: str) -> set[str]:
        return {each.item.public_id for each in responses(run, search=search)}

    # a whole ID names its item alone, though it is a part of others' IDs
    other = Response.objects.filter(run=run).exclude(item=one.item).select_related("item")[0].item
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # what is released is frozen
        ReleaseItem.objects.filter(pk=other.pk).update(public_id=f"{one.item.public_id}-b")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    assert asked(one.item.public_id) == {one.item.public_id}
    assert asked(one.item.public_id.upper()) == {one.item.public_id, f"{one.item.public_id}-b"}
    assert asked("nowhere") == set()
    assert client.get(page(bench, "responses", run.pk), {"reading": "refused"}).context["rows"] == []


def test_it_lets_an_invited_person_solve_without_an_account_and_without_a_key(bench: Bench) -> None:
    manager, run = signed_in(bench.cast.manager), panel(bench)
    sent = {"names": "Ann\nBo", "items_each": 2, "days": 3}
    assert manager.post(page(bench, "panel", run.pk), sent | {"items_each": 99}).status_code == 400
    assert manager.post(page(bench, "panel", run.pk), sent).status_code == 302
    shown = manager.get(page(bench, "panel", run.pk)).content.decode()
    links = re.findall(r"http://testserver(/solve/[\w-]+)", shown)
    assert len(set(links)) == 2
    person = Client()
    assert "What is kept" in person.get(links[0]).content.decode()
    for number in (1, 2):
        solving = person.get(f"{links[0]}?start=1")
        text = solving.content.decode()
        place = solving.context["place"]
        assert solving.headers["Referrer-Policy"] == "same-origin"
        assert place.item.record["question"].replace("'", "&#x27;") in text
        assert place.item.public_id not in text
        assert (place.item.record["explanation"] or "no explanation") not in text
        assert person.post(links[0], {"place": number, "position": "9"}).status_code == 400
        answer = {"place": number, "position": "none" if number == 2 else "1"}
        assert person.post(links[0], answer).status_code == 302
    assert "Thank you" in person.get(links[0]).content.decode()
    assert Response.objects.filter(run=run, repeat=1).count() == 2
    assert person.get(reverse("evaluation:solve", args=["made-up"])).status_code == 404


def test_it_withdraws_a_link(bench: Bench) -> None:
    run = panel(bench)
    issued = invited(bench, run, 1, 2)[0]
    client = signed_in(bench.cast.manager)
    address = page(bench, "withdraw_seat", run.pk, issued.seat.pk)
    assert signed_in(bench.cast.writer).post(address).status_code == 403
    assert client.post(address).status_code == 302
    assert Client().get(reverse("evaluation:solve", args=[issued.token])).status_code == 409


def test_it_refuses_a_panel_s_link_to_those_who_may_have_seen_the_items(bench: Bench) -> None:
    run, cast = panel(bench), bench.cast
    issued = invited(bench, run, 1, 2)[0]
    address = reverse("evaluation:solve", args=[issued.token])
    gone = make_user("Gone Writer")
    for roles in (["writer"], []):
        set_roles(actor=cast.manager, project=cast.project, user=gone, roles=roles)
    office = make_user("Ada Administrator", administrator=True)
    for user in (cast.manager, cast.writer, cast.reviewer, cast.verifier, gone, office):
        client = signed_in(user)
        refused = client.get(address)
        assert refused.status_code == 403, user
        assert "never seen these items" in refused.content.decode()
        assert client.post(address, {"place": 1, "position": "1"}).status_code == 403
    assert not PanelItem.objects.exists()  # nothing was drawn for them, so nothing was shown
    for client in (signed_in(cast.outsider), Client()):
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_opens_in_both_languages(bench: Bench, language: str) -> None:
    run, client = bench.ran(sample_size=1), signed_in(bench.cast.manager)
    client.cookies["django_language"] = language
    for name in ("runs", "start"):
        assert client.get(page(bench, name)).status_code == 200
    assert client.get(page(bench, "run", run.pk)).status_code == 200


def test_it_gives_answers_out_as_they_can_be_brought_in(bench: Bench) -> None:
    run, refused = (
        bench.ran(order="circular", sample_size=3),
        bench.ran(bench.model("stub-refusal"), sample_size=2),
    )
    client = signed_in(bench.cast.manager)
    sent = [client.get(page(bench, "download", one.pk)).getvalue() for one in (run, refused)]
    assert signed_in(bench.cast.writer).get(page(bench, "download", run.pk)).status_code == 403
    assert [len(text.splitlines()) for text in sent] == [12, 2]
    back = brought(bench.release, bench.cast.manager, b"".join(sent))
    fields = ("item", "repeat", "rotation", "order", "text", "reading", "choice", "strict_choice", "correct")
    kept = [
        list(Response.objects.filter(run=one).order_by("item", "rotation").values_list(*fields))
        for one in (run, back[0])
    ]
    assert kept[0] == kept[1]
    assert tally(back[1]).readings["refused"] == 2
