"""The names of the commonsense types in files: codes inside, labels in the CRMUS layout and in tables."""

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
"""From code to label, as the published files have them."""

LABEL_SEPARATOR: Final = "、"
_SEPARATORS: Final = re.compile(r"[、,，;；/|]")

TypeCodes = Mapping[str, str]
"""From everything by which a file may call a type (label or code) to its code."""


def type_codes(labels: Mapping[str, str] = CHINESE_LABELS) -> TypeCodes:
    """Return the type codes by label and by code, from the labels by code."""
    return {**{label: code for code, label in labels.items()}, **{code: code for code in labels}}


def split_types(joined: str) -> tuple[str, ...]:
    """Return the labels of a text that joins them, in order and without repeats."""
    return without_repeats(part.strip() for part in _SEPARATORS.split(joined))


def codes_of(fields: RowFields, field: str, names: tuple[str, ...], codes: TypeCodes) -> tuple[str, ...]:
    """Return the codes of the named types; an unknown name is an error."""
    for name in names:
        if name not in codes:
            fields.error(field, ErrorCode.UNKNOWN_TYPE, found=excerpt(name))
    return without_repeats(codes.get(name, "") for name in names)
