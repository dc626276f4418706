"""The names, ids, canary and hashes of a release, which may be anonymous.

An anonymous release names neither its project nor its people. `set_name`, `published_source_id`,
`published_contact`, `published_recipe` and `published_reason` return the values that its files have instead.
Its canary depends only on the texts of its items (`content_hash`). Its card has a neutral title and
description (`anonymous_title`, `anonymous_about` in `release/card/words.py`) and names no servers
(`release/card/figures.py`). It has no public page (`evaluation/services/publication.py`).
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from release.assembly.recipe import Recipe

ANONYMOUS: Final = "anonymous"
"""The name of an anonymous release. No project may have this name, because item ids would look alike."""


def set_name(slug: str, *, is_anonymous: bool) -> str:
    """Return the name under which a release is published: its project's slug, or `ANONYMOUS`."""
    return ANONYMOUS if is_anonymous else slug


def published_source_id(source_id: str, name: str) -> str:
    """Return the id from the item's import; "" if `name` is that of an anonymous release."""
    return "" if name == ANONYMOUS else source_id


def published_contact(recipe: Recipe) -> str:
    """Return the address for error reports, or "" if there is none or the release is anonymous."""
    return "" if recipe.anonymous else recipe.contact


def published_reason(reason: str, person: object, *, is_anonymous: bool) -> str:
    """Return the reason for overriding a gate, with the user's name unless the release is anonymous."""
    return reason if is_anonymous else f"{reason} ({person})"


def published_recipe(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe as published in the manifest, without the contact if the release is anonymous.

    Of the excluded items only the number is given, because their ids mean nothing outside the project.
    """
    values = recipe.as_json()
    excluded = values.pop("without", [])
    if excluded:
        values["excluded"] = len(excluded)
    if recipe.anonymous:
        values.pop("contact", None)
    return values


def public_id(slug: str, task: str, number: int) -> str:
    """Return the permanent public id of an item, such as `fables-m-000017`."""
    return f"{slug}-{task[0]}-{number:06d}"


def canary(slug: str, version: str) -> str:
    """Return the canary of a version: a marker by which training on the release can be detected.

    It is always the same for a version.
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"parable:{slug}:{version}"))


def content_hash(records: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of the items' stories, stems and options that ignores keys and the order of options."""
    lines = sorted(
        json.dumps([record["story"], record["question"], sorted(record["choices"])]) for record in records
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def seed_hash(seed: str) -> str:
    """Return the hash that is published instead of a secret seed."""
    return hashlib.sha256(seed.encode()).hexdigest()
