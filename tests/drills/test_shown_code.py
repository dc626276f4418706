"""The code on a release's public page, copied and run as it stands, each in its tool's environment."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from evaluation import services
from parable.llm.stub import StubServer
from release.models import ReleaseItem
from tests.architecture import BASE
from tests.drills.test_harnesses import ENVIRONMENTS, PATIENCE
from tests.evaluation.measuring import Bench, make_bench

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def bench(stub: StubServer) -> Bench:
    made = make_bench(stub)
    services.set_publication(actor=made.cast.manager, release=made.release, is_open=True, shows_scores=True)
    return made


def shown_code(server: LiveServer, bench: Bench, tool: str) -> str:
    """What the page of the live server shows for a tool."""
    path = f"/r/{bench.cast.project.slug}/1.0.0/"
    page = Client().get(path, HTTP_HOST=server.url.partition("://")[2]).content.decode()
    found = re.search(rf'<code id="use-{tool}">(.*?)</code>', page, flags=re.DOTALL)
    assert found, tool
    return html.unescape(found[1])


def run_shown(environment: str, program: str, code: str, folder: Path) -> str:
    """Run code in an empty folder with the tools of an environment; it reaches this machine alone."""
    tools = ENVIRONMENTS / environment / "bin"
    if not (tools / "python").exists():
        pytest.skip(f"{environment} is not installed: make harnesses")
    nowhere = dict.fromkeys(("https_proxy", "HTTPS_PROXY"), "http://127.0.0.1:9")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "cache")}
    done = subprocess.run(
        [program, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=folder,
        env={
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(folder),
            "PYTHONPATH": f"{folder}:{BASE / 'tests/harnesses'}",
            **nowhere,
            **offline,
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_code_for_datasets_loads_the_set(live_server: LiveServer, bench: Bench, tmp_path: Path) -> None:
    code = shown_code(live_server, bench, "datasets")
    ids = "print([row['id'] for split in items.values() for row in split])"
    said = run_shown("datasets", str(ENVIRONMENTS / "datasets/bin/python"), f"{code}\n{ids}", tmp_path)
    released = ReleaseItem.objects.filter(release=bench.release).values_list("public_id", flat=True)
    assert set(re.findall(r"'([\w-]+-\d{6})'", said)) == set(released)


def test_the_code_for_lm_eval_measures_on_the_set(
    live_server: LiveServer, bench: Bench, tmp_path: Path
) -> None:
    code = shown_code(live_server, bench, "lm_eval")
    place = "--model hf --model_args pretrained=MODEL"
    assert place in code
    # a model that guesses, in place of one that this machine would have to fetch
    code = code.replace(place, "--model dummy --output_path out")
    run_shown("lm_eval", "sh", code, tmp_path)
    (report,) = (tmp_path / "out").rglob("results_*.json")
    results = json.loads(report.read_text(encoding="utf-8"))["results"]
    assert len(results) == 2
    assert all(0 <= one["acc,none"] <= 1 for one in results.values())


def test_the_code_for_inspect_measures_on_the_set(
    live_server: LiveServer, bench: Bench, tmp_path: Path
) -> None:
    code = shown_code(live_server, bench, "inspect")
    assert code.endswith("--model MODEL")
    code = code.replace("--model MODEL", "--model always/a --log-format json --display plain")
    announced = tmp_path / "always-1.dist-info"  # so does a package announce a model to Inspect
    announced.mkdir()
    (announced / "METADATA").write_text("Name: always\nVersion: 1\n", encoding="utf-8")
    (announced / "entry_points.txt").write_text("[inspect_ai]\nalways = always_a\n", encoding="utf-8")
    run_shown("inspect_ai", "sh", code, tmp_path)
    logs = [json.loads(file.read_text(encoding="utf-8")) for file in (tmp_path / "logs").glob("*.json")]
    assert [log["status"] for log in logs] == ["success"] * 2, [log.get("error") for log in logs]
    assert (
        sum(len(log["samples"]) for log in logs)
        == ReleaseItem.objects.filter(release=bench.release, split="test").count()
    )
