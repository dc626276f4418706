"""Lists and objects in a request's JSON, whose number of entries is checked before any entry is read."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers


class ListField(serializers.ListField):
    """A list of at most `max_length` entries; the entries of a longer list are not read."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)
        self._most = max_length

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the entries as read by the child field; raise ValidationError if there are too many."""
        if isinstance(data, list) and len(data) > self._most:
            self.fail("max_length", max_length=self._most)
        return super().to_internal_value(data)


class DictField(serializers.DictField):
    """An object with at most `max_length` names; the values of a larger object are not read."""

    default_error_messages = {
        "max_length": _("Ensure this field has no more than {max_length} elements."),
    }

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the values as read by the child field, by name.

        Raise ValidationError if there are too many.
        """
        if isinstance(data, Mapping) and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)
