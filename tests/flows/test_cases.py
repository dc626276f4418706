"""Small files that people and tools wrote, each held to its right value by the command or page that reads it.

Each row of `AUDITS`, `IMPORTS`, `RATINGS`, `MATRICES` and `FIGURES` is a file of `tests/cases` and what must
be said of it; `ELSEWHERE` names the test of what is no file. No file there is without a row.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook

from annotation.models import Item, ItemDraft
from parable.__main__ import main
from review.models import Disposition
from review.services import send_verdict
from tests.corpus.commands import run
from tests.factories import Cast, make_project
from tests.parable.test_llm_servers import FAILURES
from tests.review.matrix import solved
from tests.work import work_off

CASES = Path(__file__).resolve().parents[1] / "cases"


class Case(NamedTuple):
    """The files of one row, how a command ends, what it must say, and what it must not."""

    files: str
    code: int
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    """Further words of the command line."""


SPLIT = "failed  split_leak"
APART = "Several files have the same IDs, which are kept apart: “0” is called “r"

AUDITS = [
    # options
    Case("r01_none_words.csv", 0, ("3 items",), ("empty_option", "key_missing")),
    Case("r05_prefixes.json", 1, ("Letters before the options, such as “(A)”, were removed. (7 rows",)),
    Case("r16_superscript.csv", 0, ("1 items",), ("equal_options",)),
    Case("r28_lost_option.csv", 1, ("empty_option", "first: g1.")),
    # keys
    Case("r02_number_options.csv", 2, ("whether they count from 0 or from 1", "--numbers 0 or --numbers 1")),
    Case(
        "r02_number_options.csv",
        0,
        (
            "The numbers count from 1: “2” is read as option B.",
            "“1” is ambiguous: it may mean option A, and it is the text of option C. (2 rows: 3 (k2), 4 (",
        ),
        more=("--numbers", "1"),
    ),
    Case("r06_key_e.csv", 0, ("row 2, answer: The answer “E” is none of the 4 options.", "1 items", "e1")),
    Case(
        "r07_list_answers.json",
        1,
        ("row 2, answer: The answer names more than one option", "key_missing: No key (n = 1)", "first: l2."),
    ),
    Case("r13_dict_options.jsonl", 0, ("1 items",), ("key_missing", "How the files were read")),
    Case("r13_letter_answer.jsonl", 0, ("1 items",), ("key_missing", "How the files were read")),
    Case("r13_text_answer.jsonl", 0, ("“to sing” is the text of option B and is read as that option.",)),
    # files
    Case("r08_no_story.csv", 0, ("2 items",)),
    Case("r08_no_story.json", 0, ("2 items",)),
    Case("r14_bad_escape.jsonl", 2, ("row 2, question: Invalid JSON (line 2, column 50",)),
    Case("r15_tiku.csv", 0, ("1 items", "难度: The column is not read"), ("题目", "正确答案", "解析")),
    Case("r15_tiku_gbk.csv", 0, ("it is read as GB18030", "1 items")),
    # sets
    Case("r09_train.jsonl r09_test.jsonl", 1, (SPLIT,)),
    Case("r09b_train.jsonl r09b_test.jsonl", 1, (SPLIT,)),
    Case("r09b_test.jsonl r09b_train.jsonl", 1, (SPLIT,)),
    Case("r10_numbered.jsonl", 1, ("failed  duplicates", "first: n1, n2.")),
    Case("r11_story_missing.jsonl", 0, ("Items without a story: 4.", "first: s0, s5, s10, s15.")),
    Case("r12_a.jsonl r12_b.jsonl", 1, ("8 items", APART)),
    Case("r12_b.jsonl r12_a.jsonl", 1, ("8 items", APART)),
    Case("r25_arabic_said.jsonl", 0, ("6 items are in languages other",), ("wrong_language", "stem_without")),
    Case(
        "r25_arabic_unsaid.jsonl", 0, ("6 items are in languages other",), ("wrong_language", "stem_without")
    ),
    Case("r25_italian_said.jsonl", 0, ("6 items are in languages",), ("wrong_language", "stem_without")),
    Case("r26_subject_one.jsonl r26_subject_two.jsonl", 0, ("8 items", APART)),
    Case("r27_numbered_zh.jsonl", 0, ("duplicates", "first: a, b.")),
    Case("r27_other_key.jsonl", 1, ("Their keys contradict each other, so one is wrong: a, b.",)),
    Case("r27_shuffled_twin.jsonl", 1, ("first: a, b.",), ("contradict",)),
    Case("r32_first_wording.jsonl", 0, ("3 items",)),
    Case("r32_second_wording.jsonl", 0, ("3 items",)),
]
NOT_READ = "is neither 1, nor 0, nor empty."
MATRICES = [
    *(
        Case(f"r20_{name}.csv", 0, ("30 examinees, 12 items",), more=("--model", "1pl"))
        for name in ("NA", "empty", "space")
    ),
    *(
        Case(f"r20_{name}.csv", 2, (f"line 2, q8: '{cell}' {NOT_READ}",), more=("--model", "1pl"))
        for name, cell in {
            "dash": "-", "dot": ".", "hash": "#N/A", "minus": "-1", "nine": "9", "star": "*", "x": "X"
        }.items()
    ),
    Case("r21_letters.csv", 2, (f"line 2, q0: '*' {NOT_READ}",), more=("--model", "1pl")),
]  # fmt: skip
TWICE = "lines, since a later one has the same rater and item. The last rating counts, and the last answer:"
RATINGS = [
    Case("r22_all_two.csv", 0, ("u: no severity", "w: no severity"), ("Reliability", "p = ")),
    Case("r22_one_off.csv", 0, ("u: no severity", "w: no severity"), ("Reliability", "p = ")),
    Case("r23_once.csv", 0, ("240 ratings of 80 items",), ("Passed over",)),
    Case("r23_twice.csv", 0, (f"Passed over: 3 {TWICE}", "i0 by u", "240 ratings of 80 items")),
    Case("r23_twice_answers.csv", 0, (f"Passed over: 2 {TWICE}", "i0 by u", "240 answers to 80 items")),
    Case("r24_missing_empty.csv", 0, ("w: no severity, n = 7",)),
    Case("r24_missing_words.csv", 2, ("line 13, rating: 'NA' is not a whole number from 0 to 20.",)),
]
A_LINE = "a: +0.30 (-0.16 to +0.77), n = 15"
FIGURES = [
    Case("raters figures/eq.csv", 0, ("Reliability of severities: 0.00; all equal: p = 0.531",)),
    Case("raters figures/perf.csv", 0, ("Reliability of severities: none",), ("+0.00 to +0.00", "1.00;")),
    Case("raters figures/crash.csv", 2, ("line 2, answer: 'D' is beyond the 3 options of this item.",)),
    Case(
        "raters figures/b.csv",
        0,
        ("p1: model 100.0 %, person 100.0 %, n = 15, p = 1.000",),
        ("nan", "NaN"),
        ("--model", "m", "--allowance", "0", "--json"),
    ),
    Case("raters figures/dup1.csv", 0, (A_LINE,), ("Passed over",)),
    Case("raters figures/dup_before.csv", 0, (f"Passed over: 15 {TWICE}", A_LINE)),
    Case(
        "raters figures/dup_after.csv", 0, (f"Passed over: 15 {TWICE}", "a: no severity, n = 15"), (A_LINE,)
    ),
    Case(
        "calibrate figures/dis.csv",
        0,
        (
            "2 parts of the matrix share no examinee and no item.",
            "are not comparable",
            "Part 2: 200 examinees",
        ),
        more=("--model", "2pl"),
    ),
    Case(
        "calibrate figures/dm.csv --groups figures/dg.csv",
        0,
        ("q4",),
        ("0 of 10 items",),
        ("--model", "2pl", "--json"),
    ),
]

ELSEWHERE = {
    "r30_answers.py, answers.jsonl": "tests/parable/test_reading_answers.py::",
    "r31_cut_off_server.py": "tests/parable/test_command_evaluate.py::"
    "test_it_keeps_and_says_how_answers_ended",
    "r32: ratings name the revision": "tests/flows/test_cases.py::"
    "test_r32_ratings_of_two_wordings_name_their_revisions",
    "read 150 s without a key": "tests/dashboard/test_statement.py::"
    "test_of_a_pause_in_review_two_minutes_count",
    "119 s and 150 s, counted": "tests/review/test_claim.py::test_a_silence_counts_up_to_two_minutes",
    "share of five stories": "tests/parable/test_results_clusters.py::"
    "test_stories_that_are_all_alike_have_the_interval_of_independent_answers",
    "a model that always answers A": "tests/parable/test_results_positions.py::"
    "test_a_model_that_always_answers_a_prefers_it_for_certain",
}
"""The test of each row that is no file."""

SERVERS = {
    "403 of xAI": "xaisafety",
    "403 flagged by moderation, OpenRouter": "routerflagged",
    "429 insufficient_quota, DashScope": "dashscopequota",
    "429/403 free quota, arrears, DashScope": "dashscopefree dashscopearrears",
    "403 code 30001, SiliconFlow": "siliconbalance",
    "403 AccountOverdueError, Ark": "arkoverdue",
    "429 exceeded_current_quota_error, Moonshot": "moonshotquota",
    "200 insufficient_system_resource, DeepSeek": "deepseekbusy",
    "200 network_error, context window, abort, error": "glmnetwork glmwindow sglangabort routererror",
    "200 SAFETY and its kin": "geminisafety geminirecitation geminiprohibited filternamed stoprefusal",
    "400/451 sensitive, censored": "arksensitive stepcensored",
    "400 prompt longer than the context": "vllmlong llamalong",
    "400 arrays, detail, errors": "geminiarray fastapidetail mistraldetail modelscopeerrors",
    "200 base_resp, code": "minimaxbalance sparkcode",
    "400 Invalid model name, LiteLLM": "litellmmodel",
}
"""By what servers say, the rows of `FAILURES` that say what it means; answers are tested beside it."""


def said_by(command: str, case: Case, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    words = [str(CASES / word) if word.endswith((".csv", ".json", ".jsonl")) else word
             for word in case.files.split()]  # fmt: skip
    code = main([*([command] if command else []), *words, *case.more])
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def check(command: str, case: Case, capsys: pytest.CaptureFixture[str]) -> str:
    code, said = said_by(command, case, capsys)
    assert code == case.code, said
    assert [words for words in case.says if words not in said] == [], said
    assert [words for words in case.never if words in said] == [], said
    return said


@pytest.mark.parametrize("case", AUDITS, ids=lambda case: case.files)
def test_audit(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    check("audit", case, capsys)


@pytest.mark.parametrize("case", MATRICES, ids=lambda case: case.files)
def test_calibrate(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    check("calibrate", case, capsys)


@pytest.mark.parametrize("case", RATINGS, ids=lambda case: case.files)
def test_raters(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    check("raters", case, capsys)


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: case.files)
def test_figures(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    said = check("", case, capsys)
    if "dm.csv" in case.files:
        (compared,) = json.loads(said.splitlines()[-1])["differential_functioning"]["comparisons"]
        (item,) = compared["items"]
        assert (item["id"], item["size"], item["infinite"], item["harder_for"]) == (
            "q4",
            "large",
            True,
            "model",
        )
        assert item["p_value"] == pytest.approx(4e-23, rel=0.1)


def test_r19_a_merged_story_counts_for_all_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["id", "story", "question", "A", "B", "answer"])
    for number in range(3):
        sheet.append([f"m{number}", None if number else "A fox.", f"Who, {number}?", "fox", "hen", "A"])
    sheet.merge_cells("B2:B4")
    path = tmp_path / "r19_merged_story.xlsx"
    book.save(path)
    main(["audit", str(path)])
    output = capsys.readouterr().out
    assert "row 3, story: The merged cell of row 2 also counts here. (2 rows: 3, 4)" in output
    assert "Items without a story" not in output


class Import(NamedTuple):
    """A file, the columns chosen for it, and what an import makes or says of it."""

    file: str
    says: tuple[str, ...]
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


ZERO = ("id", "story", "question", "A", "B", "C", "D", "answer")
IMPORTS = [
    Import("r02_number_options.csv", ("whether they count from 0 or from 1",)),
    Import(
        "r03_zero_based.csv",
        ("“0” is read as option A",),
        ("the crow", "the fox the crow", "the cheese"),
        ZERO,
    ),
    Import(
        "r03_zero_based_no_zero.csv",
        ("“1” is read as option B",),
        ("the fox the crow", "the cheese", "in a tree"),
        ZERO,
    ),
    Import("r16_superscript.csv", (), ("2³",)),
    Import("r28_lost_option.csv", ("row 2, B: ",), ("the crow", "the fox")),
    Import("r06_key_e.csv", ("The answer “E” is none of the 4 options.",)),
]  # fmt: skip


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def keys_of(cast: Cast) -> list[str]:
    """The texts of the keys, by the ids of their items."""
    found = []
    for item in Item.objects.filter(project=cast.project).order_by("ref"):
        if item.current:
            found.append(item.current.options.get(is_key=True).text)
        else:
            (draft,) = ItemDraft.objects.filter(item=item)
            found += [one["text"] for one in draft.content["options"] if one["is_key"]]
    return found


@pytest.mark.parametrize("case", IMPORTS, ids=lambda case: case.file)
def test_import_by_page(case: Import, cast: Cast) -> None:
    client = Client()
    client.force_login(cast.manager)
    address = f"/p/{cast.project.slug}/items/import"
    data = SimpleUploadedFile(case.file, (CASES / case.file).read_bytes())
    form: dict[str, Any] = {"format": "auto", "state": "draft", "writer": "X", "file": data}
    preview = client.post(address, form)["Location"]
    token = preview.split("upload=")[1]
    work_off()
    if case.columns:
        chosen = {f"file0-{index}": field for index, field in enumerate(case.columns)}
        client.post(address, {"upload": token, "columns": "1", **chosen})
        work_off()
    page = client.get(preview).content.decode()
    assert [words for words in case.says if words not in page] == [], re.sub(r"<[^>]+>|\s+", " ", page)
    client.post(address, {"upload": token})
    work_off()
    assert tuple(keys_of(cast)) == case.keys


@pytest.mark.parametrize("case", [case for case in IMPORTS if not case.columns], ids=lambda case: case.file)
def test_import_by_command(case: Import, cast: Cast) -> None:
    said = run("import_items", CASES / case.file, "--project", cast.project.slug, "--state", "draft")
    assert said.code == (0 if case.keys else 2)
    shown = said.out + said.err
    assert [words for words in case.says if words not in shown] == [], shown
    assert tuple(keys_of(cast)) == case.keys


def test_r26_another_story_replaces_nothing_unasked(cast: Cast) -> None:
    words = ("--project", cast.project.slug, "--state", "in_review")
    assert run("import_items", CASES / "r26_subject_one.jsonl", *words).data["created"] == 4
    said = run("import_items", CASES / "r26_subject_two.jsonl", *words)
    assert (said.code, said.data["changed"], said.data["broken"]) == (2, 0, 4)
    assert "The item with this ID is about another story." in said.err
    said = run("import_items", CASES / "r26_subject_two.jsonl", *words, "--replace-stories")
    assert (said.code, said.data["changed"]) == (0, 4)


def test_r32_ratings_of_two_wordings_name_their_revisions(cast: Cast, tmp_path: Path) -> None:
    client = Client()
    client.force_login(cast.manager)
    words = ("--project", cast.project.slug, "--state", "in_review")
    for wording, rating in (("first", 1), ("second", 2)):
        said = run("import_items", CASES / f"r32_{wording}_wording.jsonl", *words)
        assert said.data["created" if wording == "first" else "changed"] == 3
        for _item in range(3):
            review = solved(cast, "reviewer")
            verdict = Disposition.RETURN if rating == 1 else Disposition.PASS
            send_verdict(
                actor=cast.reviewer, review=review, disposition=verdict, rating=rating, comment="It is odd."
            )
    address = reverse("dashboard:export", args=[cast.project.slug, "ratings", "csv"])
    data = b"".join(client.post(address)).decode("utf-8-sig")
    rows = sorted((row["id"], row["revision"], row["rating"]) for row in csv.DictReader(io.StringIO(data)))
    assert rows == [(f"w{n}", revision, revision) for n in range(3) for revision in "12"]
    path = tmp_path / "ratings.csv"
    path.write_text(data, encoding="utf-8")
    assert main(["raters", str(path)]) == 0


def test_no_file_is_without_a_row() -> None:
    named = {word for case in (*AUDITS, *MATRICES, *RATINGS, *FIGURES) for word in case.files.split()}
    named |= {case.file for case in IMPORTS}
    filtered = {path.relative_to(CASES).as_posix() for path in CASES.rglob("*") if path.is_file()}
    assert filtered - named == set()


@pytest.mark.parametrize("test", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_the_test_of_what_is_no_file_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert f"def {name or 'test_'}" in (CASES.parents[1] / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("names", SERVERS.values(), ids=SERVERS.keys())
def test_what_servers_say_has_its_meaning(names: str) -> None:
    assert set(names.split()) <= {name for name, *_meaning in FAILURES}
