"""A kind is one module, and its form is here. It goes from the desk to a release and a score."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content import ItemContent
from annotation.kinds import OWN
from annotation.kinds.layers import LayerForm, Role
from annotation.kinds.spans import SpanKind
from annotation.models import Item, Span, State
from parable.__main__ import main
from parable.kinds import KINDS
from parable.kinds.marks import ANSWER, Group, Groups
from release.services import rebuild_release
from review.models import Stage
from review.services import send_verdict, solve
from tests.annotation.sheets import draft_page, sheet, write_page
from tests.factories import Cast, make_project
from tests.flows.test_services_flow import take
from tests.flows.test_third_kind import stored
from tests.kinds.marked import TEXT, marked_story, own
from tests.kinds.unwritten import THINGS, likeness
from tests.release.made import built

pytestmark = pytest.mark.django_db

# --- the kind: `tests/kinds/unwritten.py` is its module in `parable/kinds`, this its form on the site ---


class ThingKind(SpanKind):
    """Every thing that a text names, marked."""

    layers: ClassVar[tuple[LayerForm, ...]] = (
        LayerForm(ANSWER, "Things", "Thing {n}", "thing", (Role("T", "thing", "T", "s", "1"),)),
    )

    def value(self, story: str, own: Mapping[str, Any]) -> object:
        """Nothing that a check looks at."""
        return story, own

    def likeness(self, first: Group, second: Group) -> float:
        """The share of characters in common."""
        return likeness((first,), (second,))

    def score(self, gold: Groups, given: Groups, own: Mapping[str, Any]) -> float:
        """The same for whole answers."""
        del own
        return likeness(gold, given)


# --- the walk ---

WRITTEN: tuple[dict[str, str], ...] = ({"T": "香油"}, {"T": "鸡蛋"})


@pytest.fixture
def cast(monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setitem(KINDS, THINGS.code, replace(THINGS, published=None))  # no checks of another kind
    monkeypatch.setitem(OWN, THINGS.code, ThingKind())
    return make_project("zh", tasks=[THINGS.code])


def test_it_goes_from_its_form_through_review_into_a_release_and_a_score(
    cast: Cast, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client.force_login(cast.writer)
    for number in range(2):
        story = marked_story(cast, f"{TEXT}{number}")
        assert "data-marking" in client.get(write_page(cast, story.pk)).content.decode()
        sent = sheet(story, ItemContent(), task=THINGS.code, own=json.dumps(own(*WRITTEN)))
        assert client.post(draft_page(cast, uuid.uuid4()), sent).status_code == 302
    assert Span.objects.filter(revision__item__task=THINGS.code, role="T").count() == 4

    for person, stage in ((cast.reviewer, Stage.CROSS_CHECK), (cast.verifier, Stage.VERIFICATION)):
        client.force_login(person)
        for _item in range(2):
            request = take(cast, person, stage)
            page = reverse("review:request", args=[cast.project.slug, request.public_id])
            assert '"value": {"answer": []}' in client.get(page).content.decode()
            review = solve(actor=person, request=request, answer="own", own=own(*WRITTEN))
            send_verdict(
                actor=person,
                review=review,
                disposition="pass",
                rating=2 if stage == Stage.CROSS_CHECK else None,
            )
    assert set(Item.objects.values_list("state", flat=True)) == {State.VERIFIED}

    release = built(cast)
    assert release.state == "ready", release.failure_details
    assert rebuild_release(release=release).differing == ()
    folder = stored(release, tmp_path / "release")
    assert "| things |" in (folder / "README.md").read_text(encoding="utf-8")
    (line,) = (folder / "dev" / "things.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["own"] == own(*WRITTEN)
    answers = tmp_path / "answers.jsonl"
    given = {"model": "m", "repeat": 1, "choice": own(*WRITTEN)}
    found = [json.dumps(given | {"item_id": one.public_id}) for one in release.items.all()]
    answers.write_text("\n".join(found), encoding="utf-8")
    main(["score", str(answers), "--release", str(folder), "--json"])
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["models"]["m"]["things"]
    assert (told["n"], told["correct"]) == (2, 2)
