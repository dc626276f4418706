"""Prior exposure of an examinee to the items that it answers."""

from collections.abc import Sequence

from release.models import Release, ReleaseItem
from release.queries.release import models_that_saw


def exposure_of(release: Release, items: Sequence[ReleaseItem], *names: str) -> dict[str, int]:
    """Return {"drafted": n, "saw": n}: the items for which the LLM drafted options, and those it was sent.

    `names` are the names of the LLM. The result is stored with the run, so that marks in tables do not
    change.
    """
    mine = {name.casefold() for name in names if name}
    drafted = sum(
        any(generator.casefold() in mine for generator in item.record["generators"]) for item in items
    )
    saw = models_that_saw(release)
    asked = {item.pk for item in items}
    seen = {pk for pk, models in saw.items() if pk in asked and mine & {name.casefold() for name in models}}
    return {"drafted": drafted, "saw": len(seen)}
