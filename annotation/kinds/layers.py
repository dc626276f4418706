"""The layers and roles of a kind with marked spans, for forms. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise

from parable.kinds.mark_json import MOST_GROUPS, read_groups, write_groups
from parable.kinds.marks import Group, Groups, Mark, in_order, locate, without_blanks, write_plainly

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a marked span. It has a fragment of text, a label, or both.

    `short` is displayed above the fragment in the text, `key` is the shortcut key. `family` is the style of
    the line below the fragment: `s` for entities, `p` places, `e` events, `t` times, `n` others. `target`,
    for kinds with several texts, is the only text whose fragments can have this role.
    """

    code: str
    name: Words
    short: Words
    family: str
    key: str = ""
    hint: Words = ""
    labels: tuple[str, ...] = ()
    labels_only: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class LayerForm:
    """A layer of groups of marks, and how forms display it.

    `one` is the name of a group, with its number, as in `Alternative {n}`. `repeats`: whether all marks of a
    group have the same role. `place`: the code of a group in findings. `most`: the maximum number of groups.
    `spare`: the number of empty groups in a form without script.
    """

    code: str
    name: Words
    one: Words
    place: str
    roles: tuple[Role, ...]
    repeats: bool = False
    most: int = MOST_GROUPS
    spare: int = 1

    @property
    def role_codes(self) -> tuple[str, ...]:
        """The codes of the layer's roles, in the order in which a record has them."""
        return tuple(role.code for role in self.roles)

    def role(self, code: str) -> Role:
        """Return the role with this code. If there is none, return a new role named by the code."""
        found = next((role for role in self.roles if role.code == code), None)
        return found or Role(code, code, code, "n")

    def as_json(self) -> dict[str, object]:
        """Return the layer as JSON for the form's script."""
        return {
            "code": self.code,
            "name": str(self.name),
            "one": str(self.one),
            "most": self.most,
            "repeats": self.repeats,
            "roles": [
                {
                    "code": role.code,
                    "name": str(role.name),
                    "short": str(role.short),
                    "family": role.family,
                    "key": role.key,
                    "hint": str(role.hint),
                    "labels": list(role.labels),
                    "labels_only": role.labels_only,
                    "target": role.target,
                }
                for role in self.roles
            ],
        }


def groups_in(own: Mapping[str, Any], layer: str) -> Groups:
    """Return the groups of a layer from the JSON of a draft or an answer."""
    return read_groups(own.get(layer))


def clean_layers(own: object, layers: Sequence[LayerForm]) -> dict[str, object]:
    """Return the JSON of these layers. Malformed parts, and layers without groups, are left out."""
    read = {one.code: read_groups(own.get(one.code)) for one in layers} if isinstance(own, Mapping) else {}
    return {code: write_groups(groups) for code, groups in read.items() if groups}


def tidy_layer(own: Mapping[str, Any], layer: LayerForm) -> Groups:
    """Return the groups of a layer as they are submitted: without blank marks, and in the order of roles."""
    groups = without_blanks(groups_in(own, layer.code))
    return groups if layer.repeats else tuple(in_order(group, layer.role_codes) for group in groups)


def span_values(layer: str, groups: Groups) -> Iterator[dict[str, object]]:
    """Yield the column values of one row for each mark of a layer."""
    for index, group in enumerate(groups):
        for number, mark in enumerate(group):
            yield {
                "layer": layer,
                "group": index,
                "number": number,
                "role": mark.role,
                "target": mark.target,
                "text": mark.text,
                "positions": list(mark.positions),
                "label": mark.label,
            }


def groups_of_rows(rows: Iterable[Mapping[str, Any]], layer: str) -> Groups:
    """Return the groups of a layer from its rows, in order. A group without rows is empty."""
    found: dict[int, list[tuple[int, Mark]]] = {}
    for row in rows:
        if row["layer"] == layer:
            mark = Mark(row["role"], row["text"], tuple(row["positions"]), row["label"], row["target"])
            found.setdefault(row["group"], []).append((row["number"], mark))
    return tuple(
        tuple(mark for _number, mark in sorted(found.get(index, ()), key=lambda pair: pair[0]))
        for index in range(max(found, default=-1) + 1)
    )


# --- a form without script: a line of text for each role ---


@dataclass(frozen=True, slots=True)
class PlainField:
    """The inputs for one role in the form without JavaScript.

    They are a text field for the fragment and, if the role has labels, a choice of label.
    """

    name: str
    label: Words
    words: str
    label_name: str = ""
    labels: tuple[str, ...] = ()
    chosen: str = ""
    takes_words: bool = True


def plain_groups(
    own: Mapping[str, Any], layer: LayerForm, texts: Mapping[str, str]
) -> list[tuple[str, list[PlainField]]]:
    """Return the name and the fields of each group of a layer, followed by some empty groups."""
    groups = groups_in(own, layer.code)
    shown = (*groups, *[()] * min(layer.spare, layer.most - len(groups)))
    return [
        (str(layer.one).replace("{n}", str(index + 1)), list(_plain_fields(layer, index, group, texts)))
        for index, group in enumerate(shown)
    ]


def _plain_fields(
    layer: LayerForm, place: int, group: Group, texts: Mapping[str, str]
) -> Iterator[PlainField]:
    if layer.repeats:
        words = "\n".join(write_plainly(mark, texts.get(mark.target, "")) for mark in group)
        yield PlainField(_field(layer, place, 0), layer.roles[0].name, words)
        return
    for number, role in enumerate(layer.roles):
        mark = next((one for one in group if one.role == role.code), Mark(role.code))
        name = _field(layer, place, number)
        yield PlainField(
            name=name,
            label=role.name,
            words=write_plainly(mark, texts.get(role.target, "")),
            label_name=f"{name}-label" if role.labels else "",
            labels=role.labels,
            chosen=mark.label,
            takes_words=not role.labels_only,
        )


def _field(layer: LayerForm, place: int, number: int) -> str:
    return f"mark-{layer.code}-{place}-{number}"


def read_plain(data: Mapping[str, Any], layer: LayerForm, texts: Mapping[str, str]) -> list[Any]:
    """Return the groups that the form without script posted, in the format of a draft's JSON."""
    groups: list[Group] = []
    while len(groups) < layer.most and any(
        _field(layer, len(groups), number) in data or f"{_field(layer, len(groups), number)}-label" in data
        for number in range(len(layer.roles))
    ):
        groups.append(_read_group(data, layer, len(groups), texts))
    return write_groups(without_blanks(groups))


def _read_group(data: Mapping[str, Any], layer: LayerForm, place: int, texts: Mapping[str, str]) -> Group:
    if layer.repeats:
        role = layer.roles[0]
        lines = str(data.get(_field(layer, place, 0), "")).splitlines()
        return tuple(_read_mark(role, line, "", texts) for line in lines if line.strip())
    return tuple(
        _read_mark(role, str(data.get(name, "")), str(data.get(f"{name}-label", "")), texts)
        for role, name in ((role, _field(layer, place, n)) for n, role in enumerate(layer.roles))
    )


def _read_mark(role: Role, words: str, label: str, texts: Mapping[str, str]) -> Mark:
    span = locate(words, texts.get(role.target, ""))
    made = Mark(role.code, span.text, span.positions, target=role.target)
    return replace(made, label=label) if label in role.labels else made
