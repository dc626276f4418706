"""Releases as plain values and as folders, made without a database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from parable.formats.records import ItemRecord
from parable.splits import DEV
from release.assembly import AssemblyItem, assemble
from release.assembly.recipe import Recipe
from release.assembly.records import freeze, release_records
from release.card.card import Frozen
from release.card.facts import Facts
from release.files.folder import MANIFEST, File, manifest, manifest_file, render
from release.files.training_kit import examples, kit_files
from tests.release.made import TYPES, records

NAMES = {
    "social": "社会常识",
    "biological": "生物常识",
    "temporal": "时间常识",
    "spatial": "空间常识",
    "physical": "物理常识",
}
RECIPE = Recipe(split="story", dev_share="0.34")


def frozen(
    items: Iterable[ItemRecord] | None = None,
    *,
    recipe: Recipe = RECIPE,
    seed: str = "7",
    gates: tuple[dict[str, Any], ...] = (),
    **facts: Any,
) -> Frozen:
    """A release of these items as it is frozen."""
    release_facts = Facts(
        **{
            "slug": "small-fables",
            "name": "Small fables",
            "language": "en",
            "licence": "CC BY 4.0",
            "types": tuple((code, NAMES[code], code) for code in TYPES),
            **facts,
        }
    )
    sources = [
        AssemblyItem(number, item, positions=tuple(range(len(item.choices))))
        for number, item in enumerate(items or records(6))
    ]
    placed = assemble(sources, rule=recipe.split, share=recipe.share, seed=seed)
    slug = "anonymous" if recipe.anonymous else release_facts.slug
    made = tuple(freeze(one, slug) for one in placed)
    return Frozen("1.0.0", seed, recipe, release_facts, gates, made)


def all_files(release: Frozen) -> dict[str, File]:
    """Its files, the manifest among them."""
    files = render(release)
    said = manifest(release, [file.entry for file in files.values()])
    return {**files, MANIFEST: manifest_file(said, "2026-11-22T00:00:00+00:00")}


def write(release: Frozen, folder: Path) -> Path:
    """Put the files of a release into a folder."""
    for file in all_files(release).values():
        place = folder / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return folder


def withheld(release: Frozen) -> Frozen:
    """The same release, its test answers kept back."""
    return replace(release, recipe=replace(release.recipe, withhold_test=True))


def write_kit(release: Frozen, prompt: str, folder: Path) -> Path:
    """Write the kit for fine-tuning on the dev items of a release."""
    records = release_records(release.items, recipe=release.recipe, marker=release.canary)
    dev = [record for record in records if record.split == DEV]
    folder.mkdir(parents=True)
    for name, parts in kit_files("dev-1.0.0", release.canary, lambda: examples(dev, prompt)):
        (folder / name).write_bytes(b"".join(parts))
    return folder
