"""Four teams that share all their results search for withheld keys by uploads that are really scored."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from core.errors import Conflict
from release.models import RELEASE_UPLOADS, TEAM_UPLOADS, ReleaseItem, Upload
from release.queries.team import provable
from release.score import step_of
from release.services import invite_team, score_upload, upload_responses
from tests.factories import make_project
from tests.release.made import ALLOWED, bring, built, record
from tests.release.probing import Answers, Prober, probe_rounded
from tests.release.test_teams import Rounded

pytestmark = [pytest.mark.django_db, pytest.mark.drill]


def test_it_gives_teams_that_probe_fewer_keys_than_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    cast = make_project()
    bring(cast, [record(story, number, "moral") for story in range(26) for number in range(3)])
    release = built(cast, seed=None, recipe=replace(ALLOWED, dev_share="0.1", withhold_test=True))
    items = list(ReleaseItem.objects.filter(release=release, split="test").order_by("number"))
    keys = [item.record["answer"] for item in items]
    tokens = [
        invite_team(actor=cast.manager, release=release, name=f"Team {number}", per_week=50).token
        for number in range(RELEASE_UPLOADS // TEAM_UPLOADS)
    ]

    def ask(team: int, sent: Answers) -> int | None:
        rows = (
            {"model": "m", "item_id": item.public_id, "choice": choice}
            for item, choice in zip(items, sent, strict=True)
        )
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        try:
            upload = upload_responses(token=tokens[team], content=content)
        except Conflict:
            return None
        return round(float(score_upload(upload_id=upload.pk).totals["moral"]["accuracy"]) * len(items))

    chance = Random(7)  # noqa: S311 - any strategy will do
    before = probe_rounded(len(keys), Rounded(keys, 132), chance)
    after = Prober(len(keys), step_of(len(keys)), ask, len(tokens), chance).run()
    assert all(keys[item] == key for found in (before, after) for item, key in found.items())
    bound, withheld = provable(release)
    with capsys.disabled():
        uploads = Upload.objects.count()
        print(f"\nproven of {withheld} keys: {len(before)} by the rule before, in 132 uploads;")
        print(f"{len(after)} in {uploads} uploads of {len(tokens)} teams; bound {bound}")
    assert Upload.objects.count() <= RELEASE_UPLOADS
    assert len(after) <= bound
    assert len(after) < len(before) / 2
