"""A file is checked without a project: from a file to findings, over HTTP."""

import csv
import io
import random
import re
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import User
from annotation import services
from annotation.models import FileAudit, Item, KeyExposure
from config.backup.archive import new_archive
from config.backup.files import save
from core.errors import Conflict
from corpus.models import Upload
from jobs.models import Job
from projects.models import Project
from tests.annotation.conftest import SeenBy
from tests.factories import Cast, make_user
from tests.work import work_off

pytestmark = pytest.mark.django_db

ANIMALS = ("fox", "hen", "ant", "dove", "frog", "crow", "wolf", "crane", "lion", "mouse")


HEADS = "nr,question,opt_a,opt_b,opt_c,opt_d,answer"


def table(items: int = 120, *, heads: str = HEADS) -> bytes:
    """Items without stories. The key is the longest option; keys are counted from 1."""
    drawn = random.Random(20261130)  # noqa: S311 - test data
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(heads.split(","))
    for number in range(items):
        names = [ANIMALS[(number + step) % 10] for step in range(4)]
        at = drawn.randrange(4) if number else 3  # so that it is clear that keys count from 1
        options = [f"the {name} {number % 7}" for name in names]
        options[at] += " that had come from far away that day"
        rows.writerow([number + 1, f"Who was seen by the well on day {number}?", *options, at + 1])
    return out.getvalue().encode()


def bomb() -> bytes:
    """A spreadsheet of 200 KB that would be 200 MB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 200_000_000)
    return file.getvalue()


def check(client: Client, *files: tuple[str, bytes], into: str = "", **more: str) -> Any:
    sent = {"file": [SimpleUploadedFile(*file) for file in files]} if files else {}
    asked = client.post(f"/audit/{into}", {**sent, **more})
    work_off()
    return asked


def page(client: Client, asked: Any) -> str:
    shown = client.get(asked["Location"])
    assert shown.status_code == 200
    return str(shown.content.decode())


def test_a_file_without_stories_gives_ranked_findings(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)
    asked = check(client, ("our items.csv", table()))
    seen = page(client, asked)
    assert "to score without understanding a question." in seen
    assert "Always choosing the longest option scores 100.0" in seen
    assert seen.index('id="findings"') < seen.index("Length of the key") < seen.index('class="folded"')
    assert "120 items read" in seen
    assert "It needs two splits, such as dev and test." in seen
    assert "moral" not in seen.lower().split("<main")[1].split("</main")[0]
    # the column with keys is shown to who brought the file, as its first three values
    assert "The numbers count from 1:" in seen
    assert re.search(r"[1-4] · [1-4] · [1-4]</span>", seen)
    assert not Item.objects.exists()
    assert Project.objects.count() == 1


def test_other_columns_are_read_when_they_are_chosen(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = check(client, ("items.csv", table(heads="nr,ask,w,x,y,z,right")))
    seen = page(client, asked)
    assert "No items could be read." in seen
    assert "Choose what each column contains" in seen
    columns = {
        f"file0-{place}": field for place, field in enumerate(["id", "question", *"ABC", "", "answer"])
    }
    client.post(asked["Location"], {**columns, "columns": "1"})
    work_off()
    seen = page(client, asked)
    # the fourth option was the key of the others
    assert "Too few items to assess the set as a whole: 91 have a key, 100 are needed." in seen
    assert "Always choosing the longest option scores 100.0" in seen
    wrong = client.post(asked["Location"], {**columns, "file0-1": "A", "columns": "1"})
    assert wrong.status_code == 400


def test_a_file_that_is_no_table_of_items_says_why(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)
    seen = page(client, check(client, ("letter.csv", b"to,from\nAnt,Dove\n")))
    assert "No items could be read." in seen
    assert "Choose what each column contains" in seen
    assert client.get("/audit/").status_code == 200


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bomb.xlsx", None),
        ("noise.csv", bytes(range(256)) * 40),
        ("../../etc/passwd", b"question,A,B,answer\nWho?,a,b,A\n"),
        ('<img src=x onerror="x">.csv', b"question,A,B,answer\n<script>,a,b,A\n"),
        ("wide.csv", b",".join(b"c%d" % n for n in range(5000)) + b"\n1\n"),
    ],
)
def test_hostile_files_give_a_page(cast: Cast, seen_by: SeenBy, name: str, content: bytes | None) -> None:
    client = seen_by(cast.writer)
    seen = page(client, check(client, (name, bomb() if content is None else content)))
    assert "<img src=x" not in seen
    assert "<script>," not in seen
    audit = FileAudit.objects.get()
    assert audit.state == "done"
    assert default_storage.exists(f"{audit.folder}/0")


def test_it_is_shown_to_its_person_alone_until_its_time_is_over(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)
    asked = check(client, ("items.csv", table(8)))
    audit = FileAudit.objects.get()
    assert seen_by(cast.manager).get(asked["Location"]).status_code == 404
    assert Client().get(asked["Location"])["Location"].startswith("/accounts/login/")
    assert services.forget_audits() == 0
    FileAudit.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(asked["Location"]).status_code == 404
    assert client.get(f"{asked['Location']}audit.json").status_code == 404
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.services.audit.transaction.on_commit", lambda act, **_more: act())
        assert services.forget_audits() == 1
    assert not default_storage.exists(audit.folder)
    assert not FileAudit.objects.filter(pk=audit.pk).exists()
    job = Job.objects.get(kind="audit_files")
    assert (job.project, job.title, job.title_about) == (None, "Check of a file", {})


def test_it_is_deleted_at_once_on_request(
    cast: Cast, seen_by: SeenBy, django_capture_on_commit_callbacks: Any
) -> None:
    client = seen_by(cast.writer)
    asked = check(client, ("items.csv", table(8)))
    folder = FileAudit.objects.get().folder
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(asked["Location"], {"forget": "1"})["Location"] == "/audit/"
    assert not default_storage.exists(folder)
    assert client.get(asked["Location"]).status_code == 404


def test_people_without_an_account_are_let_in_by_the_setting_alone(cast: Cast, settings: Settings) -> None:
    stranger = Client()
    assert stranger.get("/audit/")["Location"].startswith("/accounts/login/")
    assert stranger.post("/audit/", {"example": "1"})["Location"].startswith("/accounts/login/")
    assert not FileAudit.objects.exists()
    settings.OPEN_AUDIT = True
    asked = check(stranger, ("items.csv", table()))
    seen = page(Client(), asked)  # anyone who has the address
    assert "to score without understanding a question." in seen
    assert "Sign in to make a project of it" in seen
    audit = FileAudit.objects.get()
    assert audit.expires_at - audit.created_at <= timedelta(hours=1, seconds=5)
    settings.OPEN_AUDIT = False
    assert stranger.get(asked["Location"])["Location"].startswith("/accounts/login/")


def refuse(**_order: object) -> None:
    raise Conflict("Too many are being checked.")


def test_files_of_people_without_an_account_are_few_and_small(settings: Settings) -> None:
    settings.OPEN_AUDIT = True
    stranger = Client()
    large = b"x" * (services.LARGEST_OF_STRANGERS + 1)
    refused = stranger.post("/audit/", {"file": SimpleUploadedFile("large.csv", large)})
    assert (refused.status_code, FileAudit.objects.count()) == (400, 0)
    assert "At most 20 files and 4 MB at once." in refused.content.decode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.services.audit.order_job", refuse)
        before = default_storage.listdir("audits")[0] if default_storage.exists("audits") else []
        assert stranger.post("/audit/", {"example": "1"}).status_code == 409
        assert (default_storage.listdir("audits")[0] if before else []) == before
    answers = [stranger.post("/audit/", {"example": "1"}).status_code for _ in range(20)]
    assert answers[-1] == 429
    assert FileAudit.objects.count() <= 19


def test_downloads_are_those_of_the_command(cast: Cast, seen_by: SeenBy, tmp_path: Path) -> None:
    client = seen_by(cast.writer)
    asked = check(client, ("items.csv", table()))
    report = client.get(f"{asked['Location']}report.html")
    assert report["Content-Disposition"].startswith("attachment")
    assert "Audit of 120 items" in report.content.decode()
    found = client.get(f"{asked['Location']}audit.json").json()
    assert found["items"] == 120
    assert {one["id"] for one in found["gates"] if one["verdict"] == "error"} >= {"length_artefact"}
    rows = list(
        csv.reader(io.StringIO(client.get(f"{asked['Location']}findings.csv").content.decode("utf-8-sig")))
    )
    assert rows[0] == ["Item", "Finding", "Verdict"]
    assert ["Length of the key", "serious"] in [row[1:] for row in rows]
    assert client.get(f"{asked['Location']}0").status_code == 404


def test_a_project_is_made_of_it_through_the_import(cast: Cast, seen_by: SeenBy) -> None:
    creator = make_user("Cleo Creator", may_create_projects=True)
    client = seen_by(creator)
    with_story = table(heads=HEADS.replace("nr", "story"))
    asked = check(client, ("our_items.csv", with_story))
    seen = page(client, asked)
    assert 'value="our items"' in seen
    made = client.post(asked["Location"], {"make": "1", "name": "Our items", "language": "en"})
    work_off()
    project = Project.objects.get(name="Our items")
    assert made["Location"].startswith(f"/p/{project.slug}/items/import?upload=")
    upload = Upload.objects.get()
    assert (upload.project, upload.created_by, upload.keys_shown) == (project, creator, True)
    assert not Item.objects.exists()
    client.post(f"/p/{project.slug}/items/import", {"upload": upload.token})
    work_off()
    assert Item.objects.filter(project=project).count() == 120
    assert KeyExposure.objects.filter(user=creator).count() == 120


def test_it_is_imported_into_a_project_that_the_person_manages(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = check(client, ("items.csv", table(12)), into=f"?project={cast.project.slug}")
    seen = page(client, asked)
    assert f'<option value="{cast.project.slug}" selected' in seen
    other = make_user("Ola Other")
    assert other
    made = client.post(asked["Location"].split("?")[0], {"make": "1", "project": cast.project.slug})
    assert made["Location"].startswith(f"/p/{cast.project.slug}/items/import?upload=")
    writer = seen_by(cast.writer)
    own = check(writer, ("items.csv", table(12)))
    assert "Make a project of it" not in page(writer, own)
    assert writer.post(own["Location"], {"make": "1", "project": cast.project.slug}).status_code == 400
    assert Upload.objects.filter(created_by=cast.writer).count() == 0


def test_a_program_checks_a_file(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.writer)
    ordered = client.post("/api/v1/file-audits/", {"file": [SimpleUploadedFile("items.csv", table())]})
    assert ordered.status_code == 202
    address = ordered.json()["audit"]
    waiting = client.get(address).json()
    assert (waiting["state"], waiting["answer"], waiting["result"]) == ("working", None, None)
    assert client.get(ordered["Location"]).json()["currency"] == ""
    work_off()
    found = client.get(address).json()
    assert (found["state"], found["items"], found["answer"]) == ("done", 120, "shortcut")
    assert found["findings"][0] == {
        "kind": "gate",
        "id": "length_artefact",
        "severity": "error",
        "count": 50,
    }
    assert {one["id"] for one in found["result"]["gates"]} >= {"length_artefact", "rights"}
    assert seen_by(cast.manager).get(address).status_code == 404
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_statements_do_not_grow_with_the_file(
    cast: Cast, seen_by: SeenBy, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = seen_by(cast.manager)
    small, large = check(client, ("items.csv", table(4))), check(client, ("items.csv", table(150)))
    page(client, small)
    for asked in (small, large):
        with django_assert_num_queries(STATEMENTS):
            page(client, asked)


STATEMENTS = 5


def test_backups_leave_it_out(cast: Cast, seen_by: SeenBy, settings: Settings, tmp_path: Path) -> None:
    check(seen_by(cast.writer), ("items.csv", table(4)))
    with new_archive(tmp_path, timezone.now()) as (_path, writer, _manifest):
        kept = save(settings.HOME, "files", writer)
    assert not [name for name in kept if "audits" in name]


@pytest.mark.parametrize("language", ["zh-Hans", "en"])
def test_the_example_is_there_in_both_languages(cast: Cast, seen_by: SeenBy, language: str) -> None:
    User.objects.filter(pk=cast.writer.pk).update(language=language)
    client = seen_by(cast.writer)
    seen = page(client, check(client, example="1"))
    assert "110" in seen
    assert 'class="title wrong"' in seen
