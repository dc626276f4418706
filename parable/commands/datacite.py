"""`datacite RELEASE_DIR --creator NAME`: writes the metadata of a release for registries of DOIs."""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parable.commands.outcome import DONE, unusable, write_json
from parable.commands.push import RefusedError, Release, refuse, release_folder, whole_release

CROISSANT: Final = "croissant.json"
_ORCID: Final = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
_COMMONS: Final = re.compile(r"https://creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/([\d.]+)/?")
_SPDX: Final = "https://spdx.org/licenses/"


@dataclass(frozen=True, slots=True)
class Creator:
    """A person ("Family, Given") or an institution that made a release."""

    name: str
    orcid: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """The description of a release, read from its files, and its creators."""

    name: str
    title: str
    version: str
    description: str
    language: str
    licence: str
    built: str
    """The date of the release, or ""."""
    rows: int
    creators: Sequence[Creator]

    @property
    def licence_code(self) -> str:
        """The SPDX identifier of the licence in lower case, or "" if it is not a well-known licence."""
        commons = _COMMONS.fullmatch(self.licence)
        if commons:
            kind, version = commons.groups()
            return f"cc0-{version}" if kind == "zero" else f"cc-{kind}-{version}"
        return self.licence.removeprefix(_SPDX).lower() if self.licence.startswith(_SPDX) else ""


def run(options: argparse.Namespace) -> int:
    """Write the metadata; return 0, or 2 if they cannot be written."""
    try:
        with release_folder(options.folder) as folder:
            release, said = described(folder, options.creators)
            data = datacite(said, release, options.publisher)
    except RefusedError as error:
        return refuse(error, options)
    if options.out is None:
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return DONE
    try:
        write_json(options.out, data)
    except OSError as error:
        return unusable(error)
    return DONE


def described(folder: Path, creators: Sequence[str]) -> tuple[Release, About]:
    """Return a complete release and its description; raise RefusedError as `whole_release` does.

    Also raise it if the metadata cannot be read, a creator has no name, or an ORCID iD has a wrong check
    digit.
    """
    release = whole_release(folder)
    if CROISSANT not in release.files:
        raise RefusedError("hub_missing", files=CROISSANT)
    try:
        manifest = json.loads(release.files["MANIFEST.json"].read_bytes())
        croissant = json.loads(release.files[CROISSANT].read_bytes())
        # the rows of the splits; files of other formats are not counted
        rows = [
            entry.get("rows") or 0
            for name, entry in manifest["files"].items()
            if name.startswith(("train/", "dev/", "test/")) and name.endswith(".jsonl")
        ]
        said = About(
            name=str(manifest["name"]),
            title=str(manifest["title"]),
            version=release.version,
            description=str(croissant["description"]),
            language=str(croissant.get("inLanguage", "")),
            licence=str(croissant.get("license", "")),
            built=str(manifest.get("built_at", ""))[:10],
            rows=sum(rows),
            creators=[_creator(one) for one in creators],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RefusedError("hub_no_release", files=CROISSANT) from error
    return release, said


def _creator(text: str) -> Creator:
    name, semicolon, orcid = (part.strip() for part in text.partition(";"))
    found = _ORCID.fullmatch(orcid)
    if not name or (semicolon and (found is None or not _is_orcid(found[1]))):
        raise RefusedError("creator", files=text)
    return Creator(name, found[1] if found else "")


def _is_orcid(orcid: str) -> bool:
    """Return whether the last digit of an ORCID iD is its check digit (ISO 7064, MOD 11-2)."""
    *digits, last = list(orcid.replace("-", ""))
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    return last == "0123456789X"[(12 - total % 11) % 11]


def datacite(said: About, release: Release, publisher: str) -> dict[str, object]:
    """Return the metadata by the JSON schema of DataCite 4, without the DOI, which the archive assigns."""
    lang = {"lang": said.language} if said.language else {}
    rights = {
        "rights": said.licence_code.upper() or said.licence,
        **({"rightsUri": said.licence} if said.licence.startswith("https://") else {}),
        **(
            {
                "rightsIdentifier": said.licence_code,
                "rightsIdentifierScheme": "SPDX",
                "schemeUri": _SPDX,
            }
            if said.licence_code
            else {}
        ),
    }
    return {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Benchmark"},
        "titles": [{"title": said.title, **lang}],
        "creators": [_as_datacite(one) for one in said.creators],
        "publisher": {"name": publisher},
        **({"publicationYear": said.built[:4]} if said.built else {}),
        **({"dates": [{"date": said.built, "dateType": "Created"}]} if said.built else {}),
        **({"language": said.language} if said.language else {}),
        "version": said.version,
        "sizes": [f"{release.size} bytes", f"{said.rows} items"],
        "formats": ["application/jsonlines"],
        **({"rightsList": [rights]} if said.licence else {}),
        "descriptions": [{"description": said.description, "descriptionType": "Abstract", **lang}],
    }


def _as_datacite(creator: Creator) -> dict[str, object]:
    family, comma, given = (part.strip() for part in creator.name.partition(","))
    parts = {"givenName": given, "familyName": family} if comma else {}
    orcid = {
        "nameIdentifier": f"https://orcid.org/{creator.orcid}",
        "nameIdentifierScheme": "ORCID",
        "schemeUri": "https://orcid.org",
    }
    return {
        "name": creator.name,
        "nameType": "Personal" if comma else "Organizational",
        **parts,
        **({"nameIdentifiers": [orcid]} if creator.orcid else {}),
    }
