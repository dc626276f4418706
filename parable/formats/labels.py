"""Converts between the codes of the commonsense types and their labels in CRMUS files and tables."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from parable.formats.errors import ErrorCode, excerpt
from parable.formats.fields import RowFields, without_repeats

CHINESE_LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "social": "社会常识",
        "biological": "生物常识",
        "temporal": "时间常识",
        "spatial": "空间常识",
        "physical": "物理常识",
    }
)
"""Labels of the published files, by type code."""

LABEL_SEPARATOR: Final = "、"
_SEPARATORS: Final = re.compile(r"[、,，;；/|]")

TypeCodes = Mapping[str, str]
"""Type codes by each name that a file may use, label or code."""


def type_codes(labels: Mapping[str, str] = CHINESE_LABELS) -> TypeCodes:
    """Return the type codes by label and by code, given the labels by code."""
    return {**{label: code for code, label in labels.items()}, **{code: code for code in labels}}


def split_types(joined: str) -> tuple[str, ...]:
    """Return the labels that a text lists, in order and without repeats."""
    return without_repeats(part.strip() for part in _SEPARATORS.split(joined))


def codes_of(fields: RowFields, field: str, names: tuple[str, ...], codes: TypeCodes) -> tuple[str, ...]:
    """Return the codes of types given by name; an unknown name is an error."""
    for name in names:
        if name not in codes:
            fields.error(field, ErrorCode.UNKNOWN_TYPE, found=excerpt(name))
    return without_repeats(codes.get(name, "") for name in names)
