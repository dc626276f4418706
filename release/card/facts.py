"""Facts for the card that cannot be counted from the frozen items.

They are frozen together with the items.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

_ROWS: Final = ("types", "sent")


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about the project, and about how the release was created, at the time of the build.

    `types`: (code, Chinese name, English name) in the project's order. `rights`: by story id, "" if unknown.
    `brought_verified`: items imported as verified. `judged_here`: items judged in Parable. `older_wording`:
    items whose story has been reworded since they were judged. People are counted, never named;
    `named_writers` counts the writers' names in imports.

    By task, with "" for all tasks: `written`, the number of items ever submitted; `accuracy` of blind
    answers, with value, low, high and n; `agreement` of ratings, with alpha and ac2, each with value, low,
    high and n, and the number of items rated `twice`. `styles`: by task and style, the accuracy of blind
    answers in the same form, and the `difference` of the styles. `sent`: (model, server, stories, morals,
    items), with the numbers sent. `suspected`: by story id, the group of stories that may be the same story,
    as long as this is undecided; None in older releases. `load`: the result of `work_load`.
    """

    slug: str
    name: str
    language: str
    licence: str = ""
    description: str = ""
    types: tuple[tuple[str, str, str], ...] = ()
    rights: Mapping[str, str] = field(default_factory=dict)
    standard_stem: str = ""
    writers: int = 0
    named_writers: int = 0
    reviewers: int = 0
    verifiers: int = 0
    brought_verified: int = 0
    judged_here: int = 0
    older_wording: int = 0
    reviewer_may_verify: bool = False
    written: Mapping[str, int] = field(default_factory=dict)
    accuracy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    agreement: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    styles: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    sent: tuple[tuple[str, str, int, int, int], ...] = ()
    load: Mapping[str, Any] = field(default_factory=dict)
    suspected: Mapping[str, str] | None = None

    def as_json(self) -> dict[str, object]:
        """Return the facts as JSON for storage in a release."""
        lists = {name: [list(row) for row in getattr(self, name)] for name in _ROWS}
        return asdict(self) | lists | {"rights": dict(self.rights)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Facts":
        """Return the facts from their JSON, as stored in a release."""
        tuples = {name: tuple(map(tuple, stored.get(name, ()))) for name in _ROWS}
        return cls(**{**stored, **tuples})

    @property
    def type_codes(self) -> tuple[str, ...]:
        """The codes of the commonsense types, in the project's order."""
        return tuple(code for code, _zh, _en in self.types)

    @property
    def chinese_labels(self) -> dict[str, str]:
        """The label of each type in the CRMUS layout."""
        return {code: zh for code, zh, _en in self.types}

    @property
    def undecided(self) -> list[list[str]]:
        """The groups in `suspected`: stories of a group may be the same story.

        A group is a sorted list of story ids.
        """
        groups: dict[str, list[str]] = {}
        for story, name in sorted((self.suspected or {}).items()):
            groups.setdefault(name, []).append(story)
        return [groups[name] for name in sorted(groups)]

    def type_name(self, code: str) -> str:
        """Return the name of a type in the project's language."""
        names = {known: zh if self.language == "zh" else en for known, zh, en in self.types}
        return names.get(code) or code
