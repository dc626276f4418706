"""Serializer fields for lists and objects that limit the number of entries before reading any of them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers


class ListField(serializers.ListField):
    """A list of at most `max_length` entries. The entries of a longer list are not validated."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)
        self._most = max_length

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the validated entries. Raise ValidationError if there are too many."""
        if isinstance(data, list) and len(data) > self._most:
            self.fail("max_length", max_length=self._most)
        return super().to_internal_value(data)


class DictField(serializers.DictField):
    """An object with at most `max_length` names. The values of a larger object are not validated."""

    default_error_messages = {
        "max_length": _("Ensure this field has no more than {max_length} elements."),
    }

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the validated values by name. Raise ValidationError if there are too many."""
        if isinstance(data, Mapping) and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)
