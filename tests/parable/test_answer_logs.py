"""Logs of evaluation tools, as the tools wrote them: each answer is read, beside the verdict of the tool.

`foreign/README.md` says how the logs were made: on `records(3)` of the tests of releases.
Those made here follow EvalScope 1.14.1, crfm-helm 0.5.16, OpenCompass 0.5.4 and every_eval_ever 0.3.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from parable.formats.answer_log import answer_logs, log_of, verdict_of
from parable.formats.asked_items import Words
from parable.formats.errors import ErrorCode, InputError
from parable.formats.logs import inspect_ai
from parable.formats.responses import read_responses
from tests.release.folders import frozen, write
from tests.release.made import records

FILES = Path(__file__).parent / "foreign"
LIKELIHOODS = FILES / "samples_small_fables_commonsense_2026-11-29T01-10-53.jsonl"
TEXTS = FILES / "samples_small_fables_commonsense_gen_2026-11-29T01-10-53.jsonl"
INSPECT = FILES / "inspect_moral.eval"
PREDICTIONS = FILES / "evalscope/predictions/letter/general_mcq_fables.jsonl"
REVIEWS = FILES / "evalscope/reviews/letter/general_mcq_fables.jsonl"
HELM = FILES / "helm/scenario_state.json"
OPENCOMPASS = FILES / "opencompass/predictions/letter-7b/small_fables_commonsense.json"
[EVERY] = (FILES / "every_eval_ever").glob("*_samples.jsonl")
AGGREGATE = EVERY.with_name(EVERY.name.replace("_samples.jsonl", ".json"))
OPTIONS = {f"small-fables-{letter}-{number:06}": 4 for letter in "cm" for number in range(1, 30)}


RELEASED = [
    Words(one.public_id, one.record["story"], one.record["question"], tuple(one.record["choices"]))
    for one in frozen(records(3)).items
]


def read(*paths: Path) -> list[tuple[str, int, str | None, object, bool | None]]:
    found = read_responses([*paths], options=OPTIONS, words=RELEASED)
    assert found.errors == ()
    return [(one.item_id[-9:], one.repeat, one.text, one.choice, one.tool_says) for one in found.records]


def test_it_reads_the_likeliest_option_of_lm_eval() -> None:
    assert read(LIKELIHOODS) == [
        ("-c-000001"[-9:], 1, None, 3, True),
        ("-c-000002"[-9:], 1, None, 1, True),
        ("-c-000003"[-9:], 1, None, read(LIKELIHOODS)[2][3], True),
    ]


def test_it_reads_generated_answers_of_lm_eval_as_they_came() -> None:
    first, second, _third = read(TEXTS)
    assert first == ("-c-000001", 1, "I would say the answer is A.", None, False)
    assert second == ("-c-000002", 1, "I would say the answer is B.", None, True)


def test_it_reads_a_log_of_inspect_whose_members_zipfile_cannot_read() -> None:
    found = read(INSPECT)
    assert len(found) == 6
    assert {one[2] for one in found} == {"The answer is A, since the story says so."}
    assert sum(bool(one[4]) for one in found) == 1


def test_it_names_the_model_by_the_results_beside_the_samples(tmp_path: Path) -> None:
    samples = tmp_path / "samples_task_2026.jsonl"
    samples.write_bytes(TEXTS.read_bytes())
    assert {one.model for one in read_responses([samples], options=OPTIONS).records} == {"samples_task_2026"}
    (tmp_path / "results_2026.json").write_text('{"model_name": "org/model"}')
    assert {one.model for one in read_responses([samples], options=OPTIONS).records} == {"org/model"}


def of_item(number: int, text: str, says: bool | None, *, repeat: int = 1) -> tuple[object, ...]:
    return f"-c-{number:06}"[-9:], repeat, text, None, says


def test_it_reads_predictions_of_evalscope_each_repeat() -> None:
    found = read(PREDICTIONS)
    assert [one[:2] for one in found] == [(f"-c-{n:06}"[-9:], again) for n in (1, 2, 3) for again in (1, 2)]
    assert {one[4] for one in found} == {None}
    answers = read_responses([PREDICTIONS], options=OPTIONS).records
    assert {(one.model, one.finish_reason) for one in answers} == {("org/letter", "stop")}


@pytest.mark.parametrize("files", [(REVIEWS,), (PREDICTIONS, REVIEWS), (REVIEWS, PREDICTIONS)])
def test_reviews_of_evalscope_add_their_verdicts(files: tuple[Path, ...]) -> None:
    """The tool judged each answer as its key says; both files together are six answers."""
    keys = {f"-c-{number:06}"[-9:]: "DBC"[number - 1] for number in (1, 2, 3)}
    assert sorted(found := read(*files)) == sorted(
        (*one[:4], one[2] == keys[one[0]]) for one in read(PREDICTIONS)
    )
    answers = read_responses([*files], options=OPTIONS).records
    assert {one.model for one in answers} == {"org/letter"}
    assert len(found) == 6
    assert {one.finish_reason for one in answers} == ({"stop"} if len(files) == 2 else {""})


def test_a_review_alone_names_its_model_itself(tmp_path: Path) -> None:
    """Without predictions beside it: by its last message, and without that by its folder."""
    review = tmp_path / "reviews" / "letter" / "general_mcq_fables.jsonl"
    review.parent.mkdir(parents=True)
    review.write_bytes(REVIEWS.read_bytes())
    assert {one.model for one in read_responses([review], options=OPTIONS).records} == {"org/letter"}
    review.write_text(REVIEWS.read_text("utf-8").replace('"model": "org/letter"', '"model": null'), "utf-8")
    assert {one.model for one in read_responses([review], options=OPTIONS).records} == {"letter"}


def prediction(content: object, **more: object) -> dict[str, object]:
    choice = {"message": {"role": "assistant", "content": content}, "stop_reason": more.pop("end", "stop")}
    return {
        "index": 0,
        "model": "m",
        "model_output": {"choices": [choice], "error": more.pop("error", None)},
        "messages": [{"role": "user", "content": "asked"}],
        "metadata": {"id": "small-fables-c-000001"},
        **more,
    }


THOUGHT = [
    {"type": "reasoning", "reasoning": "B?"},
    {"type": "text", "text": "A"},
    {"type": "text", "text": "."},
]


@pytest.mark.parametrize(
    ("line", "read_as"),
    [
        (prediction("A"), ("A", None, "stop")),
        (prediction("A", end="max_tokens"), ("A", None, "length")),
        (prediction("A", end="model_length"), ("A", None, "length")),
        (prediction("A", end="unknown"), ("A", None, "")),
        (prediction("", end="content_filter"), ("", None, "content_filter")),
        (prediction(THOUGHT), ("A\n.", None, "stop")),
        (prediction("", error="timed out"), (None, "failed", "stop")),
        (prediction("A", error="later"), ("A", None, "stop")),
        (prediction("A", model_output=None), (None, "failed", "")),
        (prediction("A", model_output={"choices": []}), (None, "failed", "")),
    ],
)
def test_what_a_prediction_of_evalscope_says(
    line: dict[str, object], read_as: tuple[str | None, str | None, str], tmp_path: Path
) -> None:
    path = tmp_path / "general_mcq_default.jsonl"
    path.write_text(json.dumps(line) + "\n")
    [one] = read_responses([path], options=OPTIONS).records
    assert (one.text, one.outcome, one.finish_reason) == read_as
    assert (one.model, one.repeat) == ("m", 1)


def test_a_sample_that_evalscope_asked_again_is_no_repeat(tmp_path: Path) -> None:
    path = tmp_path / "general_mcq_default.jsonl"
    lines = [prediction("", error="timed out"), prediction("A", index=1), prediction("B")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_responses([path], options=OPTIONS).records
    assert sorted((one.repeat, one.text) for one in found) == [(1, "B"), (2, "A")]


@pytest.mark.parametrize(
    ("score", "says"),
    [
        ({"value": {"accuracy": 1.0}}, True),
        ({"value": {"accuracy": 0.0}}, False),
        ({"value": {"accuracy": True}}, True),
        ({"value": {"other": 0, "accuracy": 1}, "main_score_name": "accuracy"}, True),
        ({"value": {"accuracy": 1, "other": 0}}, True),  # the first, where none is named
        ({"value": {"accuracy": 0.5}}, None),
        ({"value": {}}, None),
        ({"value": {"accuracy": 1.0}, "status": "unavailable"}, None),
    ],
)
def test_the_verdict_of_a_review_is_its_main_score(
    score: dict[str, object], says: bool | None, tmp_path: Path
) -> None:
    path = tmp_path / "general_mcq_default.jsonl"
    sample = {"score": {"prediction": "A", **score}, "sample_metadata": {"id": "small-fables-c-000001"}}
    line = {"index": 3, "target": ["A"], "messages": [], "sample_score": sample}
    path.write_text(json.dumps(line) + "\n")
    [one] = read_responses([path], options=OPTIONS).records
    assert (one.tool_says, one.text, one.repeat, one.model) == (says, "A", 1, path.parent.name)


@pytest.mark.parametrize(
    ("score", "says"),
    [(1, True), (0, False), (1.0, True), (True, True), (0.99, None), (2, None), ("1", None)],
)
def test_only_a_whole_score_is_a_verdict(score: object, says: bool | None) -> None:
    assert verdict_of(score) is says


def test_it_reads_a_scenario_state_of_helm_with_the_statistics_beside_it(tmp_path: Path) -> None:
    assert read(HELM) == [of_item(1, "D", True), of_item(2, "A", False), of_item(3, "B", False)]
    [first, *_rest] = read_responses([HELM], options=OPTIONS).records
    assert (first.model, first.finish_reason) == ("org/letter", "stop")
    alone = tmp_path / "scenario_state.json"
    alone.write_bytes(HELM.read_bytes())
    assert [one[4] for one in read(alone)] == [None] * 3


def state(changes: dict[str, object], method: str = "multiple_choice_joint") -> dict[str, object]:
    """What HELM wrote, with its first request alone, changed."""
    first: dict[str, object] = json.loads(HELM.read_text(encoding="utf-8"))["request_states"][0]
    return {"adapter_spec": {"method": method, "model": "of/spec"}, "request_states": [first | changes]}


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({}, [("D", None, 1)]),
        ({"result": {"success": False, "completions": [], "error": "no"}}, [(None, "failed", 1)]),
        ({"result": None}, [(None, "failed", 1)]),
        (
            {"result": {"success": True, "completions": [{"text": "A"}, {"text": "B"}]}},
            [("A", None, 1), ("B", None, 2)],
        ),
        ({"instance": {"id": "small-fables-c-000001", "perturbation": {"name": "typos"}}}, []),
        ({"instance": {"id": "id0"}}, [("D", None, 1)]),  # numbered by HELM: by the words of the prompt
    ],
)
def test_what_a_request_of_helm_says(
    changes: dict[str, object], answers: list[tuple[str | None, str | None, int]], tmp_path: Path
) -> None:
    path = tmp_path / "scenario_state.json"
    path.write_text(json.dumps(state(changes)))
    found = read_responses([path], options=OPTIONS, words=RELEASED)
    assert found.errors == ()
    assert [(one.text, one.outcome, one.repeat) for one in found.records] == answers
    assert {one.item_id for one in found.records} <= {"small-fables-c-000001"}


@pytest.mark.parametrize(
    ("held", "code"),
    [
        (state({}, "multiple_choice_separate_original"), ErrorCode.NOT_OF_FORMAT),
        (state({}, "multiple_choice_separate_calibrated"), ErrorCode.NOT_OF_FORMAT),
        (state({"instance": 3}), ErrorCode.NOT_AN_OBJECT),
    ],
)
def test_it_refuses_what_it_cannot_read_of_helm(
    held: dict[str, object], code: ErrorCode, tmp_path: Path
) -> None:
    path = tmp_path / "scenario_state.json"
    path.write_text(json.dumps(held))
    [error] = read_responses([path], options=OPTIONS).errors
    assert error.code == code


def test_it_finds_the_items_of_opencompass_by_their_prompts() -> None:
    assert read(OPENCOMPASS) == [of_item(1, "B", None), of_item(2, "C", None), of_item(3, "A", None)]
    assert {one.model for one in read_responses([OPENCOMPASS], options=OPTIONS, words=RELEASED).records} == {
        "letter-7b"
    }


def test_it_says_which_prompt_of_opencompass_asks_no_item() -> None:
    found = read_responses([OPENCOMPASS], options=OPTIONS, words=RELEASED[1:])
    assert {error.code for error in found.errors} == {ErrorCode.UNKNOWN_PROMPT}
    assert all("Read the story" in str(error.params["found"]) for error in found.errors)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ({"prediction": "A"}, [(1, "A")]),
        ({"prediction": ["A", "B"]}, [(1, "A"), (2, "B")]),
        ({"prediction": None}, [(1, None)]),
        ({"gold": "D", "prediction": "A"}, [(1, "A")]),
    ],
)
@pytest.mark.parametrize("is_chat", [True, False])
def test_what_a_prediction_of_opencompass_says(
    answer: dict[str, object], texts: list[tuple[int, str | None]], is_chat: bool, tmp_path: Path
) -> None:
    path = tmp_path / "fables.json"
    prompt = json.loads(OPENCOMPASS.read_text(encoding="utf-8"))["0"]["origin_prompt"]
    other = json.loads(OPENCOMPASS.read_text(encoding="utf-8"))["1"]["origin_prompt"]
    turns = [("HUMAN", other), ("BOT", "A"), ("HUMAN", prompt)]
    shown = [{"role": role, "prompt": text} for role, text in turns] if is_chat else prompt
    path.write_text(json.dumps({"0": {"origin_prompt": shown, **answer}}, indent=4))
    found = read_responses([path], options=OPTIONS, words=RELEASED)
    assert found.errors == ()
    assert [(one.repeat, one.text) for one in found.records] == texts
    assert {(one.item_id, one.model) for one in found.records} == {("small-fables-c-000001", "fables")}


@pytest.mark.parametrize("path", [EVERY, AGGREGATE], ids=["records", "aggregate"])
def test_it_reads_records_of_every_eval_ever(path: Path) -> None:
    found = read_responses([path], options=OPTIONS)
    assert found.errors == ()
    keys = dict(zip((1, 2, 3), "DBC", strict=True))
    for one in found.records:
        assert (one.model, one.finish_reason) == ("openai/gpt-4o", "stop")
        assert one.tool_says is (one.text == keys[int(one.item_id[-1])])
    assert [(one.item_id[-1], one.repeat) for one in found.records] == [
        (number, again) for again in (1, 2) for number in "123"
    ]


def test_an_aggregate_of_every_eval_ever_without_its_records_is_named(tmp_path: Path) -> None:
    path = tmp_path / AGGREGATE.name
    path.write_bytes(AGGREGATE.read_bytes())
    [error] = read_responses([path], options=OPTIONS).errors
    assert (error.code, error.params["what"]) == (ErrorCode.NO_RESPONSES, "Every Eval Ever (aggregate)")
    path.write_text(AGGREGATE.read_text("utf-8")[:-20])
    [error] = read_responses([path], options=OPTIONS).errors
    assert error.code == ErrorCode.NOT_JSON


def record_of(**changes: object) -> dict[str, object]:
    first = EVERY.read_text(encoding="utf-8").splitlines()[0]
    return {**json.loads(first), "metadata": None, **changes}


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        ([record_of(output={"raw": ["A", "B"]})], [(1, "A", False), (2, "B", False)]),
        # Two results of one sample are one answer; the verdict is that of the first that has one.
        (
            [
                record_of(evaluation_result_id="rouge", evaluation={"score": 0.7, "is_correct": False}),
                record_of(evaluation_result_id="match", evaluation={"score": 1.0, "is_correct": True}),
            ],
            [(1, "C", True)],
        ),
        # Two records of one result are repeats.
        ([record_of(), record_of(output={"raw": ["A"]})], [(1, "C", False), (2, "A", False)]),
        ([record_of(metadata={"epoch": "4", "stop_reason": ""})], [(4, "C", False)]),
        (
            [record_of(metadata={"epoch": "4"}, output={"raw": ["A", "B"]})],
            [(1, "A", False), (2, "B", False)],
        ),
        ([record_of(evaluation={"score": 0.5, "is_correct": True})], [(1, "C", None)]),
        ([record_of(evaluation={"score": 1.0, "is_correct": False})], [(1, "C", None)]),
        ([record_of(sample_id="0")], [(1, "C", False)]),  # by the words of the prompt
        ([record_of(output={"raw": []}, error="timed out")], [(1, None, False)]),
        ([record_of(output={"raw": [""]}, error="timed out")], [(1, None, False)]),
        (
            [
                record_of(
                    output=None,
                    messages=[
                        {"turn_idx": 0, "role": "assistant", "content": "A"},
                        {"turn_idx": 1, "role": "assistant", "content": "B"},
                        {"turn_idx": 2, "role": "tool", "content": "C"},
                    ],
                )
            ],
            [(1, "B", False)],
        ),
    ],
)
def test_what_records_of_every_eval_ever_say(
    lines: list[dict[str, object]], answers: list[tuple[int, str | None, bool | None]], tmp_path: Path
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_responses([path], options=OPTIONS, words=RELEASED)
    assert found.errors == ()
    assert [(one.repeat, one.text, one.tool_says) for one in found.records] == answers
    assert {one.item_id for one in found.records} == {"small-fables-c-000001"}


LOGS = {
    LIKELIHOODS: "lm_eval",
    TEXTS: "lm_eval",
    INSPECT: "inspect_ai",
    PREDICTIONS: "evalscope",
    REVIEWS: "evalscope",
    HELM: "helm",
    OPENCOMPASS: "opencompass",
    EVERY: "every_eval_ever",
    AGGREGATE: "every_eval_ever",
}


def places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The path of every value in a JSON value."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], odd: object) -> Any:
    """A JSON value with another value at a place."""
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], odd)
    return copy


@pytest.mark.parametrize(
    "odd", [None, -1, True, [], [{}], {"a": []}, "9" * 5000], ids=lambda odd: str(odd)[:9]
)
@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_an_odd_value_anywhere_ends_in_answers_or_an_error(log: Path, odd: object, tmp_path: Path) -> None:
    path = tmp_path / log.name
    (tmp_path / EVERY.name).write_bytes(EVERY.read_bytes())
    if log is INSPECT:
        header, sample, *_rest = inspect_ai._archived(log)
        first = {**header, "samples": [sample]}
    else:
        text = log.read_text(encoding="utf-8")
        first = json.loads(text.splitlines()[0] if log.suffix == ".jsonl" else text)
    if log is HELM:
        first["request_states"] = first["request_states"][:1]
    [reader] = [one for one in answer_logs() if one.code == LOGS[log]]
    for place in places({"0": first["0"]} if log is OPENCOMPASS else first):
        path.write_text(json.dumps(put(first, place, odd)))
        with suppress(InputError):
            for _row, values in reader.read(path):
                assert [type(values[name]) for name in ("model", "item_id", "repeat")] == [str, str, int]


@pytest.mark.parametrize("log", [log for log in LOGS if log is not INSPECT], ids=lambda path: path.name)
def test_a_number_of_too_many_digits_is_refused_in_words(log: Path, tmp_path: Path) -> None:
    """Python converts 4,300 at most; members of Inspect are read by orjson alone."""
    path = tmp_path / log.name
    text = log.read_text(encoding="utf-8")
    at = text.index(":") + 1
    path.write_text(f'{text[:at]} {"9" * 5000}, "was": {text[at:]}', encoding="utf-8")
    [reader] = [one for one in answer_logs() if one.code == LOGS[log]]
    with pytest.raises(InputError) as refused:
        list(reader.read(path))
    assert refused.value.code == ErrorCode.NOT_JSON


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:25])
def test_each_log_is_taken_for_what_it_is_and_nothing_else(path: Path) -> None:
    head = path.read_bytes()[:4096]
    assert [log.code for log in answer_logs() if log.detect(path, head)] == [LOGS[path]]
    statistics = HELM.with_name("per_instance_stats.json")
    assert log_of(statistics, statistics.read_bytes()[:4096]) is None


@pytest.mark.parametrize(
    "log", [TEXTS, LIKELIHOODS, INSPECT, REVIEWS, HELM, EVERY], ids=lambda path: path.name[:20]
)
def test_it_compares_its_verdict_with_that_of_the_tool(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = write(frozen(records(3)), tmp_path / "release")
    assert main(["score", str(log), "--release", str(release), "--split", "test", "--json"]) == 0
    printed = capsys.readouterr().out
    [found] = json.loads(printed.splitlines()[-1])["tool_judged"].values()
    assert found == {"judged": 6 if log in {INSPECT, REVIEWS, EVERY} else 3, "differences": []}
    assert "are scored alike here; differences: 0." in printed


def test_it_lists_what_a_tool_judged_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = write(frozen(records(3)), tmp_path / "release")
    log = tmp_path / "samples_x_1.jsonl"
    log.write_text(TEXTS.read_text(encoding="utf-8").replace('"acc": 0.0', '"acc": 1.0'), encoding="utf-8")
    main(["score", str(log), "--release", str(release), "--split", "test"])
    assert "small-fables-c-000001: right for the tool, not here; read as A." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"doc_id": 0, "doc": {"id": "a"}, "resps": [["x"]]', ErrorCode.NOT_JSON),
        (b'{"doc_id": 0, "doc": 3}', ErrorCode.NOT_AN_OBJECT),
        (b'{"doc_id": 0, "doc": {"id": "a"}, "x": "' + b"y" * 5_000_000, ErrorCode.TOO_LONG),
    ],
)
def test_it_refuses_a_line_that_is_no_sample(line: bytes, code: ErrorCode, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(line + b"\n")
    log = log_of(path, line[:4096])
    assert log is not None
    with pytest.raises(InputError) as refused:
        list(log.read(path))
    assert refused.value.code == code


@pytest.mark.parametrize("log", answer_logs(), ids=lambda log: log.code)
def test_no_log_is_taken_for_a_file_of_ours(log: object, tmp_path: Path) -> None:
    assert isinstance(log, type(answer_logs()[0]))
    for head in (b"", b"PK\x03\x04", b'{"model": "m", "item_id": "a", "repeat": 1, "text": "A"}', b"[]"):
        path = tmp_path / "file"
        path.write_bytes(head)
        assert not log.detect(path, head)
