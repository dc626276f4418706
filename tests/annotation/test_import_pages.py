"""The import of items in the browser: nothing is written before it was seen."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from annotation.models import Item, State
from tests.annotation.conftest import SeenBy
from tests.factories import Cast
from tests.parable.hostile_files import crmus, lines

pytestmark = pytest.mark.django_db


def address(cast: Cast) -> str:
    return f"/p/{cast.project.slug}/items/import"


def upload(client: Client, cast: Cast, *files: tuple[str, bytes], **chosen: str) -> Any:
    sent = {"format": "auto", "state": "in_review", "writer": "The old team"} | chosen
    return client.post(address(cast), {**sent, "file": [SimpleUploadedFile(*file) for file in files]})


def test_it_imports_several_files_after_a_preview(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(
        client, cast, ("dev_CR.json", crmus()), ("own.jsonl", lines(answer=None, answer_letter=None))
    )
    preview = client.get(asked["Location"]).content.decode()
    assert "dev_CR.json" in preview
    assert "own.jsonl" in preview
    assert "4 new" in preview
    assert "1 comes in as a draft" in preview
    assert "no key" in preview
    assert not Item.objects.exists()
    assert not User.objects.filter(name="The old team").exists()

    token = asked["Location"].split("upload=")[1]
    assert client.post(address(cast), {"upload": token}).status_code == 302
    assert Item.objects.filter(state=State.IN_REVIEW).count() == 3
    assert Item.objects.filter(state=State.DRAFT).count() == 1
    writer = User.objects.get(name="The old team")
    assert (writer.is_placeholder, writer.is_active) == (True, False)


def test_it_takes_the_choices_made_beside_the_files(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("items.json", crmus()), state="verified", format="crmus")
    client.post(address(cast), {"upload": asked["Location"].split("upload=")[1]})
    assert set(Item.objects.values_list("state", flat=True)) == {State.VERIFIED}


def test_it_names_file_row_and_field_of_what_is_broken_and_cannot_be_confirmed(
    cast: Cast, seen_by: SeenBy
) -> None:
    client = seen_by(cast.manager)
    asked = upload(client, cast, ("good.json", crmus()), ("bad.json", crmus(id="9_9", answer="AB")))
    preview = client.get(asked["Location"] + "&fate=broken").content.decode()
    assert "bad.json" in preview
    assert "answer: More than one option is named as the answer" in preview
    assert "Import these items" not in preview
    client.post(address(cast), {"upload": asked["Location"].split("upload=")[1]})
    assert not Item.objects.exists()


def test_it_asks_again_where_the_form_will_not_do(cast: Cast, seen_by: SeenBy) -> None:
    client = seen_by(cast.manager)
    assert upload(client, cast).status_code == 400
    assert upload(client, cast, ("a.json", crmus()), state="released").status_code == 400
    assert upload(client, cast, ("a.json", crmus()), writer="").status_code == 400


def test_it_is_for_managers(cast: Cast, seen_by: SeenBy) -> None:
    assert upload(seen_by(cast.writer), cast, ("a.json", crmus())).status_code == 403
    assert upload(seen_by(cast.outsider), cast, ("a.json", crmus())).status_code == 404
