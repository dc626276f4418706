"""The commands of docs/formats.md, each run on a file of its format; and the table of doors has all."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from parable.__main__ import main
from parable.formats.answer_log import AnswerLog, answer_logs
from parable.formats.format import Format
from parable.formats.items import FORMATS
from parable.kinds import KINDS
from release.files.harnesses import TEMPLATES
from tests.corpus.commands import run
from tests.factories import make_project
from tests.parable.files_of_formats import OF_TOOLS, file_of
from tests.release.folders import frozen, write
from tests.release.made import records

BASE = Path(__file__).parents[2]
DOCS = BASE / "docs"
SCRIPT = runpy.run_path(str(BASE / "scripts" / "formats.py"))
LOGS = {
    "evalscope": "evalscope/predictions/letter/general_mcq_fables.jsonl",
    "every_eval_ever": "every_eval_ever/76bcded6-f41a-4d4b-9e29-6412bf285302_samples.jsonl",
    "helm": "helm/scenario_state.json",
    "inspect_ai": "inspect_moral.eval",
    "label_studio": "label_studio_items.json",
    "lm_eval": "samples_small_fables_commonsense_gen_2026-11-29T01-10-53.jsonl",
    "opencompass": "opencompass/predictions/letter-7b/small_fables_commonsense.json",
    "potato": "potato_annotations.jsonl",
}
OF_THE_RELEASE = {"crow-1": "small-fables-c-000001", "lamp-1": "small-fables-c-000002"}
"""Items that people annotated, by ids that a release of the tests has."""


def commands_under(title: str) -> list[str]:
    """Return the commands in the section of the page with this heading."""
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    [section] = re.findall(rf"^###? {re.escape(title)}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^```\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return "".join(blocks).splitlines()


def obey(command: str, values: Mapping[str, object]) -> int:
    """Run a documented command with values in the place of its words in capitals; return its exit code."""
    program, name, *arguments = shlex.split(command)
    filled = [re.sub("^(FILE|NEW|SLUG|DIR)", lambda word: str(values[word[0]]), one) for one in arguments]
    if program == "parable":
        return main([name, *filled])
    assert program == "manage.py"
    found = run(name, *filled)
    assert found.err == found.verdict == ""
    assert found.data["created"] > 0, found.out
    return found.code


@pytest.mark.django_db
@pytest.mark.parametrize("one", FORMATS.values(), ids=FORMATS)
def test_each_documented_command_takes_a_file_of_the_format(one: Format, tmp_path: Path) -> None:
    commands = commands_under(SCRIPT["heading"](one))
    assert bool(commands) is one.has_items
    for number, command in enumerate(commands):
        path = tmp_path / f"{number}.file"
        path.write_bytes(file_of(one.code))
        project = make_project("zh", tasks=[*KINDS]).project
        values = {"FILE": path, "NEW": tmp_path / "new", "SLUG": project.slug}
        assert obey(command, values) in ({0, 1} if " audit " in command else {0}), command


@pytest.mark.parametrize("log", answer_logs(), ids=lambda log: log.code)
def test_each_documented_command_takes_a_log(log: AnswerLog, tmp_path: Path) -> None:
    commands = commands_under(log.label)
    assert commands
    path = tmp_path / Path(LOGS[log.code]).name
    data = (OF_TOOLS / LOGS[log.code]).read_bytes()
    for theirs, ours in OF_THE_RELEASE.items():
        data = data.replace(theirs.encode(), ours.encode())
    path.write_bytes(data)
    release = write(frozen(records(3)), tmp_path / "release")
    for command in commands:
        assert obey(command, {"FILE": path, "DIR": release}) == 0, command


def test_the_table_of_doors_has_every_format_log_and_harness_and_its_links_lead_somewhere() -> None:
    text = (DOCS / "doors.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([\w./]+\.md)#([^)]+)\)", text)
    for page, anchor in links:
        headings = re.findall(r"^#+ (.+)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in map(SCRIPT["slug"], headings), (page, anchor)
    sections = {anchor for page, anchor in links if page == "formats.md"}
    titles = [*map(SCRIPT["heading"], FORMATS.values()), *(log.label for log in answer_logs())]
    assert sections == {*map(SCRIPT["slug"], titles)}
    folders = {path.name for path in TEMPLATES.iterdir() if path.is_dir()}
    assert {*re.findall(r"`harness/(\w+)/`", text)} == folders
