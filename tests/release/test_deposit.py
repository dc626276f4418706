"""`datacite` and `deposit` of a release with its test answers withheld, against an archive of ours."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from pathlib import Path

import pytest

from parable.__main__ import main
from tests.architecture import BASE
from tests.release.folders import frozen, withheld, write
from tests.release.made import records
from tests.zenodo_server import RIGHT, Zenodo, zenodo_server

PEOPLE = (
    "--creator",
    "Carberry, Josiah;0000-0002-1825-0097",
    "--creator",
    "王, 丽",
    "--creator",
    "Fable Lab",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZENODO_TOKEN", RIGHT)
    made = write(withheld(frozen(records(7), seed="ab" * 16)), tmp_path / "release")
    (made / "test-answers.jsonl").write_text('{"secret": 1}', encoding="utf-8")
    return made


def deposit(folder: Path, archive: Zenodo, *more: str) -> int:
    return main(["deposit", str(folder), *PEOPLE, "--endpoint", archive.address, *more])


def test_datacite_says_what_the_release_says(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "datacite.json"
    assert main(["datacite", str(folder), *PEOPLE, "--out", str(out)]) == 0
    said = json.loads(out.read_bytes())
    manifest = json.loads((folder / "MANIFEST.json").read_bytes())
    items = sum(
        len(path.read_bytes().splitlines())
        for path in folder.glob("*/*.jsonl")
        if path.parent.name in {"dev", "test"}
    )
    assert said["titles"] == [{"title": manifest["title"], "lang": "en"}]
    assert said["publicationYear"] == "2026"
    assert said["version"] == "1.0.0"
    assert said["sizes"][1] == f"{items} items"
    assert said["rightsList"][0]["rightsIdentifier"] == "cc-by-4.0"
    person, chinese, lab = said["creators"]
    assert person["nameIdentifiers"][0]["nameIdentifier"] == "https://orcid.org/0000-0002-1825-0097"
    assert (chinese["familyName"], chinese["givenName"]) == ("王", "丽")
    assert lab == {"name": "Fable Lab", "nameType": "Organizational"}


@pytest.mark.parametrize(
    ("creator", "is_right"),
    [
        ("Carberry, Josiah;0000-0002-1825-0098", False),  # the check digit is 7
        ("Hawking, Stephen;https://orcid.org/0000-0002-1694-233X", True),
        ("A, B;", False),
        (";0000-0002-1825-0097", False),
        ("A, B;orcid", False),
    ],
)
def test_an_orcid_is_checked(
    folder: Path, creator: str, is_right: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datacite", str(folder), "--creator", creator]) == (0 if is_right else 2)
    assert ("Write a creator as" in capsys.readouterr().err) is not is_right


def test_a_draft_holds_each_file_and_is_not_made_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zenodo_server(Zenodo()) as archive:
        assert deposit(folder, archive) == 0
        assert "10.5281/zenodo.1" in capsys.readouterr().out
        assert deposit(folder, archive) == 0
        [draft] = archive.deposits
        assert not draft["submitted"]
        assert draft["metadata"]["license"] == "cc-by-4.0"
        assert draft["metadata"]["creators"][0] == {
            "name": "Carberry, Josiah",
            "orcid": "0000-0002-1825-0097",
        }
        sent = archive.files["1"]
        assert {*sent} == {"small-fables-1.0.0.zip", "README.md", "datacite.json"}
        with zipfile.ZipFile(io.BytesIO(sent["small-fables-1.0.0.zip"])) as packed:
            inside = {name: packed.read(name) for name in packed.namelist()}
        on_disk = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "test-answers.jsonl"
        }
        assert inside == on_disk
        assert not any(one.endswith("publish") for one in archive.asked)
        assert deposit(folder, archive, "--publish") == 0
        assert archive.deposits[0]["submitted"]
        assert deposit(folder, archive) == 2
        assert "published already (DOI: 10.5281/zenodo.1)" in capsys.readouterr().err
        assert len(archive.deposits) == 1


def test_a_dry_run_asks_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zenodo_server(Zenodo()) as archive:
        assert deposit(folder, archive, "--dry-run", "--json") == 0
        assert archive.asked == []
        said = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert said["files"].keys() == {"small-fables-1.0.0.zip", "README.md", "datacite.json"}


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        ({"GET": 401}, "does not accept the token"),
        ({"POST": 403}, "may not deposit"),
        ({"POST": 400}, "The archive refuses (400): Refused.; title: planned"),
        ({"/api/files/": 413}, "refuses files of this size"),
        ({"GET": 302}, "The archive refuses (302)"),
        ({"POST": 429}, "asked too often"),
        ({"/actions/publish": 500}, "The archive refuses (500)"),
    ],
)
def test_each_refusal_is_said_and_a_second_try_goes_on(
    folder: Path, fails: dict[str, int], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with zenodo_server(Zenodo(fails=fails)) as archive:
        assert deposit(folder, archive, "--publish") == 2
        error = capsys.readouterr().err
        assert said in error
        assert RIGHT not in error
        assert not any("elsewhere" in one for one in archive.asked), "the token follows no redirect"
        archive.fails = {}
        assert deposit(folder, archive, "--publish") == 0
        assert len(archive.deposits) == 1


def test_the_token_goes_to_the_archive_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zenodo_server(Zenodo()) as other:
        with zenodo_server(Zenodo(bucket=f"{other.address}/api/files/1")) as archive:
            assert deposit(folder, archive) == 2
        assert other.asked == []
        assert "not to http://127.0.0.1" in capsys.readouterr().err
    for address in ("http://archive.example", "ftp://archive.example", "https://user@archive.example"):
        assert deposit(folder, Zenodo(address=address)) == 2
        assert "Tokens are sent over https:// only" in capsys.readouterr().err


def test_other_bytes_than_were_sent_are_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zenodo_server(Zenodo(spoils=True)) as archive:
        assert deposit(folder, archive, "--publish") == 2
        assert "did not arrive as it was sent" in capsys.readouterr().err
        assert not archive.deposits[0]["submitted"]


def test_what_cannot_be_deposited_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = write(frozen(records(7), licence="ask the lab"), tmp_path / "own")
    with zenodo_server(Zenodo()) as archive:
        assert deposit(own, archive) == 2
        assert "only well-known licences" in capsys.readouterr().err
        (folder / "README.md").write_text("changed", encoding="utf-8")
        assert deposit(folder, archive, "--language", "zh") == 2
        assert "README.md" in capsys.readouterr().err
        monkeypatch.delenv("ZENODO_TOKEN")
        fresh = write(frozen(records(7)), tmp_path / "fresh")
        assert deposit(fresh, archive) == 2
        assert "Set ZENODO_TOKEN" in capsys.readouterr().err
        assert archive.asked == []
    monkeypatch.setenv("ZENODO_TOKEN", RIGHT)
    assert deposit(fresh, Zenodo(address="http://127.0.0.1:9")) == 2
    assert "cannot be reached" in capsys.readouterr().err


def test_the_commands_of_the_page_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that ask somebody are run with `--dry-run`."""
    folder.rename(folder.parent / "fables-1.0.0")
    monkeypatch.chdir(folder.parent)
    lines = (BASE / "docs" / "publish.md").read_text(encoding="utf-8").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("parable ")]
    assert {command[0] for command in commands} == {"push", "deposit", "datacite"}
    for command in commands:
        asks = command[0] != "datacite" and "--dry-run" not in command
        assert main([*command, "--dry-run"] if asks else command) == 0


@pytest.mark.parametrize("root", ["", "fables/"])
def test_an_archive_is_as_good_as_its_folder(
    folder: Path, root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "release.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, root + path.relative_to(folder).as_posix())
    said = []
    for place in (folder, packed):
        assert main(["push", str(place), "--repo", "lab/fables", "--dry-run"]) == 0
        assert main(["datacite", str(place), *PEOPLE]) == 0
        assert main(["deposit", str(place), *PEOPLE, "--dry-run"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("other", "x")
    assert main(["push", str(packed), "--repo", "lab/fables", "--dry-run"]) == 2
    assert "is no release" in capsys.readouterr().err
