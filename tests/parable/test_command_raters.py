"""`raters`: what it reads, prints and refuses."""

import json
from pathlib import Path

import pytest

from parable.__main__ import main
from tests.parable.rating_sets import simulate_answers, simulate_ratings


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Ratings of six people, and of a model that gives what the third gives."""
    simulated = simulate_ratings(5, raters=6, stories=30, each=3)
    lines = [f"i{u},r{r},{k},s{simulated.stories[u]}" for u, r, k in simulated.rows]
    lines += [f"i{u},judge,{k},s{simulated.stories[u]}" for u, r, k in simulated.rows if r == 3]
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater,rating,story\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_it_says_how_severe_raters_are(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["raters", str(ratings), "--model", "judge", "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)["ratings"]
    assert (found["units"], found["stories"], len(found["adjusted"])) == (150, 30, 150)
    raters = {row["rater"]: row for row in found["raters"]}
    assert all(
        raters[f"r{n}"]["low"] < raters[f"r{n}"]["severity"] < raters[f"r{n}"]["high"] for n in range(6)
    )
    assert any(line.startswith("Severity in logits") for line in lines)
    [model] = found["models"]
    assert (model["id"], model["allowance"]) == ("judge", 0.15)
    assert ("judge" in raters) == (model["code"] == "passed")
    assert any("alternative-annotator test" in line for line in lines)


def test_a_model_that_does_not_pass_is_left_out(tmp_path: Path, ratings: Path) -> None:
    text = ratings.read_text(encoding="utf-8")
    lines = [f"i{u},far,{0 if u % 2 else 2},s{u // 5}" for u in range(150)]
    ratings.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "out.json"
    assert main(["raters", str(ratings), "--model", "judge", "--model", "far", "--out", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))["ratings"]
    assert {row["id"]: row["code"] for row in found["models"]}["far"] == "not_passed"
    assert "far" not in {row["rater"] for row in found["raters"]}


def test_answers_say_which_keys_to_look_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, _, keys, _ = simulate_answers(9, people=8, stories=20, each=6)
    keys[3] = (keys[3] + 1) % 4
    path = tmp_path / "answers.csv"
    lines = [
        f"i{one.item};p{one.person};{'ABCD'[one.choice]};{'abcd'[keys[int(str(one.item))]]}" for one in rows
    ]
    path.write_text("item;rater;answer;key\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert main(["raters", str(path), "--json"]) == 0
    *said, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert "ratings" not in found
    assert "i3" in found["answers"]["against"]
    assert (found["answers"]["n"], len(found["answers"]["raters"])) == (600, 8)
    assert len(found["answers"]["items"][0]["probabilities"]) == 4
    assert any(line.startswith("  i3: key ") for line in said)


@pytest.mark.parametrize("first", [False, True])
def test_of_lines_of_one_rater_on_one_item_the_last_counts_and_the_others_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: bool
) -> None:
    rows = [(f"i{n}", rater, (n + (rater == "c")) % 3, "ABC"[n % 3]) for n in range(15) for rater in "abc"]
    again = [(item, "a", (rating + 1) % 3, "ABC"[(rating + 1) % 3]) for item, rater, rating, _ in rows[::3]]
    path = tmp_path / "twice.csv"

    def told(lines: list[tuple[str, str, int, str]]) -> tuple[str, dict[str, object]]:
        text = "item,rater,rating,answer\n" + "".join(",".join(map(str, line)) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        assert main(["raters", str(path), "--json"]) == 0
        out = capsys.readouterr().out
        return out, json.loads(out.splitlines()[-1])

    others = [line for line in rows if line[1] != "a"]
    counted = [line for line in rows if line[1] == "a"] if first else again
    _, once = told([*counted, *others])
    out, twice = told([*again, *rows] if first else [*rows, *again])
    assert once.pop("passed_over") == 0
    assert twice.pop("passed_over") == 15
    assert "Passed over: 15 lines, since a later one has the same rater and item" in out
    assert "\n  i14 by a\n" in out
    severities = [
        {row["rater"]: row["severity"] for row in found["ratings"]["raters"]}  # type: ignore[index]
        for found in (once, twice)
    ]
    assert severities[0] == pytest.approx(severities[1], abs=1e-4)
    accuracies = [
        {row["person"]: row["accuracy"] for row in found["answers"]["raters"]}  # type: ignore[index]
        for found in (once, twice)
    ]
    assert accuracies[0] == pytest.approx(accuracies[1])


def test_full_agreement_is_told_without_a_reliability_and_without_an_error_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "same.csv"
    lines = [f"i{n},{rater},{n % 3}\n" for n in range(15) for rater in ("p1", "p2", "p3", "m")]
    path.write_text("item,rater,rating\n" + "".join(lines), encoding="utf-8")
    assert main(["raters", str(path), "--model", "m", "--allowance", "0", "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)["ratings"]
    assert (found["reliability"], found["p_equal"]) == (None, 1.0)
    assert all(row["error"] > 0.5 for row in found["raters"])
    assert [row["p_value"] for row in found["models"][0]["comparisons"]] == [1.0, 1.0, 1.0]
    assert "Reliability of severities: none, they have no spread; all equal: p = 1.000" in lines
    assert not any("+0.00 to +0.00" in line for line in lines)


def test_few_answers_are_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("item,rater,answer,options\ni1,p1,A,3\ni1,p2,B,3\n", encoding="utf-8")
    assert main(["raters", str(path)]) == 0
    assert "too few answers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,rating\n1,2\n", "line 1: the first line names the columns item, rater, and rating or answer"),
        ("item,rater,rating\n1,a\n", "line 2: 2 cells, where the first line has 3"),
        ("item,rater,rating\n1,a,-1\n", "line 2, rating: '-1' is not a whole number from 0 to 20"),
        ("item,rater,rating\n1,a,21\n", "line 2, rating: '21'"),
        ("item,rater,answer\n1,a,AB\n", "line 2, answer: 'AB' is not a letter"),
        ("item,rater,answer,options\n1,a,A,1\n", "line 2, options: '1' is not a whole number from 2 to 26"),
        ("item,rater,answer\n1,,A\n", "line 2, rater: the rater has no name"),
        ("item,rater,answer\n,a,A\n", "line 2, item: the item has no name"),
        ("item,rater,answer\n1,a,\n", "holds no ratings and no answers"),
        ("", "line 1: the first line"),
        (
            "item,rater,answer,options\n1,a,D,3\n1,b,A,3\n",
            "line 2, answer: 'D' is beyond the 3 options of this item.",
        ),
        ("item,rater,answer,options\n1,b,A,3\n1,a,D,\n", "line 3, answer: 'D' is beyond the 3 options"),
        ("item,rater,answer,options,key\n1,b,A,3,D\n", "line 2, key: 'D' is beyond the 3 options"),
        ("item,rater,answer,options\n1,a,A,3\n1,b,A,4\n", "line 3, options: '4', where "),
        ("item,rater,answer,key\n1,a,A,B\n1,b,A,C\n", "line 3, key: 'C', where "),
        ("item,rater,rating,story\n1,a,1,s\n1,b,1,t\n", "line 3, story: 't', where "),
    ],
)
def test_it_refuses_what_it_cannot_read(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["raters", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_it_refuses_a_model_that_rated_nothing(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["raters", str(ratings), "--model", "nobody"]) == 2
    assert "'nobody' rated nothing" in capsys.readouterr().err
    assert main(["raters", str(ratings / "none")]) == 2
    with pytest.raises(SystemExit):
        main(["raters", str(ratings), "--allowance", "1"])
