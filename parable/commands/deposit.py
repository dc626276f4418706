"""`deposit RELEASE_DIR --creator NAME`: uploads a release to Zenodo, or an archive with the same API."""

import argparse
import hashlib
import html
import http.client
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from getpass import getpass
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from parable.commands.datacite import About, datacite, described
from parable.commands.outcome import DONE, print_json
from parable.commands.push import RefusedError, Release, may_be_sent_tokens, refuse, release_folder
from parable.commands.wording import sentence
from parable.llm.addresses import BaseUrl, parse_base_url

ZENODO: Final = "https://zenodo.org"
SANDBOX: Final = "https://sandbox.zenodo.org"
VARIABLE: Final = "ZENODO_TOKEN"
_CARD: Final = "README.md"
_LONGEST_ANSWER: Final = 8_000_000
_SECONDS: Final = 120.0
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_LANGUAGES: Final = {"en": "eng", "zh": "zho"}
"""ISO 639-3 codes for Zenodo by language code; other languages are not sent."""
_REASONS: Final = {401: "deposit_token", 403: "deposit_right", 413: "hub_large", 429: "hub_often"}


class _NoRedirect(HTTPRedirectHandler):
    """Refuses to follow redirects, which would receive the token."""

    def redirect_request(self, *_asked: object) -> None:
        return None


class Archive:
    """An archive at an address; the token is sent to this address only."""

    def __init__(self, address: str, token: str) -> None:
        self._url = _checked(address)
        self._token = token
        self._opener = build_opener(_NoRedirect())

    def ask(self, method: str, place: str, data: object = None) -> Any:
        """Send a request and return the archive's reply, parsed as JSON; raise RefusedError on failure."""
        body = None if data is None else json.dumps(data, ensure_ascii=False).encode()
        return self._ask(method, f"{self._url}/api/deposit/depositions{place}", body)

    def put(self, bucket: str, path: Path, name: str) -> None:
        """Upload a file to a bucket, replacing an existing file of the same name.

        Raise RefusedError if the archive refuses, or reports another checksum.
        """
        if _checked(bucket).origin != self._url.origin:
            raise RefusedError("deposit_address", address=bucket)
        with path.open("rb") as file:
            expected = hashlib.file_digest(file, "md5").hexdigest()
            file.seek(0)
            answer = self._ask("PUT", f"{bucket}/{quote(name)}", file, path.stat().st_size)
        if str(answer.get("checksum", "")).removeprefix("md5:") != expected:
            raise RefusedError("deposit_bytes", file=name)

    def _ask(self, method: str, address: str, body: Any, size: int | None = None) -> Any:
        kind = "application/json" if size is None else "application/octet-stream"
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": kind, "User-Agent": "parable"}
        if size is not None:
            headers["Content-Length"] = str(size)
        try:
            request = Request(address, data=body, headers=headers, method=method)
            with self._opener.open(request, timeout=_SECONDS) as answer:
                return json.loads(answer.read(_LONGEST_ANSWER) or b"{}")
        except HTTPError as error:
            said = _said(error.read(_LONGEST_ANSWER)).replace(self._token, "…")
            code = _REASONS.get(error.code, "deposit_refused")
            raise RefusedError(code, status=error.code, said=said or error.reason) from None
        except (URLError, http.client.HTTPException, OSError, ValueError) as error:
            said = str(getattr(error, "reason", error) or type(error).__name__)
            raise RefusedError("deposit_away", said=said.replace(self._token, "…")[:200]) from None


def _checked(address: str) -> BaseUrl:
    """Return the parsed address; raise RefusedError unless it is safe to send tokens there."""
    if not may_be_sent_tokens(address):
        raise RefusedError("deposit_address", address=address)
    return parse_base_url(address)


def _said(body: bytes) -> str:
    """Return the reasons that an archive gives for a refusal, on one line; "" if it gives none."""
    try:
        data = json.loads(body)
        errors = [f"{one.get('field', '')}: {one.get('message', '')}" for one in data.get("errors") or ()]
        return " ".join("; ".join([str(data.get("message", "")), *errors]).split())[:300]
    except (ValueError, AttributeError, TypeError):
        return ""


def run(options: argparse.Namespace) -> int:
    """Deposit the release; return 0, or 2 if the deposit is not complete."""
    language = options.language
    address = SANDBOX if options.sandbox else options.endpoint or ZENODO
    try:
        _checked(address)
        with release_folder(options.folder) as folder, tempfile.TemporaryDirectory() as place:
            release, about = described(folder, options.creators)
            files = _files(release, about, Path(place))
            said = {
                "archive": address,
                "version": about.version,
                "files": {name: path.stat().st_size for name, path in files.items()},
                "publish": options.publish,
            }
            if options.dry_run:
                print(*(f"  {name}  {size}" for name, size in said["files"].items()), sep="\n")
                print(sentence("deposit_would", language) % {"archive": address})
                print(sentence("deposit_for_good" if options.publish else "deposit_draft", language))
            else:
                token = os.environ.get(VARIABLE, "").strip() or _typed()
                said |= _deposit(Archive(address, token), about, files, publish=options.publish)
                print(sentence("deposit_public" if options.publish else "deposit_done", language) % said)
    except RefusedError as error:
        return refuse(error, options)
    if options.as_json:
        print_json(said)
    return DONE


def _typed() -> str:
    """Read the token at a hidden prompt.

    Raise RefusedError if there is no terminal, or the token is not valid.
    """
    token = getpass(f"{VARIABLE}: ").strip() if sys.stdin is not None and sys.stdin.isatty() else ""
    if not token or not token.isascii() or not token.isprintable():
        raise RefusedError("deposit_token")
    return token


def _files(release: Release, about: About, place: Path) -> dict[str, Path]:
    """Return the files to send by name: the release as a ZIP (archives have no folders), its card, metadata.

    Raise RefusedError if the release has no well-known licence.
    """
    if not about.licence_code:  # Zenodo would use its default licence
        raise RefusedError("deposit_licence", licence=about.licence or "-")
    packed, metadata = place / "release.zip", place / "datacite.json"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(release.files.items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            entry.file_size = path.stat().st_size
            with path.open("rb") as file, archive.open(entry, "w") as target:
                while part := file.read(1 << 20):
                    target.write(part)
    text = json.dumps(datacite(about, release, "Zenodo"), ensure_ascii=False, indent=1) + "\n"
    metadata.write_text(text, encoding="utf-8", newline="\n")
    card = {_CARD: release.files[_CARD]} if _CARD in release.files else {}
    return {f"{about.name}-{about.version}.zip": packed, **card, metadata.name: metadata}


def _deposit(archive: Archive, about: About, files: Mapping[str, Path], *, publish: bool) -> dict[str, str]:
    """Deposit the files, continuing an unfinished earlier deposit; return its address and DOI.

    Raise RefusedError if this version is already public, or the archive refuses.
    """
    metadata = _metadata(about)
    held: list[Mapping[str, Any]] = []
    for deposit in archive.ask("GET", "?size=100&sort=mostrecent"):
        said = deposit.get("metadata", {})
        if (said.get("title"), said.get("version")) == (about.title, about.version):
            held.append(deposit)
    public = next((one for one in held if one.get("submitted")), None)
    if public is not None:
        raise RefusedError(
            "deposit_there", title=about.title, version=about.version, doi=public.get("doi", "")
        )
    try:
        if held:
            draft = archive.ask("PUT", f"/{int(held[0]['id'])}", {"metadata": metadata})
        else:
            draft = archive.ask("POST", "", {"metadata": metadata})
        for name, path in files.items():
            archive.put(draft["links"]["bucket"], path, name)
        if publish:
            draft = archive.ask("POST", f"/{int(draft['id'])}/actions/publish")
        doi = draft.get("doi") or draft["metadata"].get("prereserve_doi", {}).get("doi", "")
        return {"address": str(draft["links"]["html"]), "doi": str(doi)}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RefusedError("deposit_refused", status=200, said=f"{type(error).__name__}: {error}") from None


def _metadata(about: About) -> dict[str, object]:
    """Return the metadata as fields of Zenodo."""
    language = _LANGUAGES.get(about.language.partition("-")[0])
    return {
        "upload_type": "dataset",
        "title": about.title,
        "version": about.version,
        "creators": [
            {"name": one.name, **({"orcid": one.orcid} if one.orcid else {})} for one in about.creators
        ],
        "description": f"<p>{html.escape(about.description)}</p>",
        "license": about.licence_code,
        "access_right": "open",
        "prereserve_doi": True,
        **({"language": language} if language else {}),
    }
