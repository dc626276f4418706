"""Lists and objects of a request's JSON: how many entries they have is looked at before any entry is."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers


class ListField(serializers.ListField):
    """A list of at most `max_length` entries; a longer one costs no more than counting them."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)
        self._most = max_length

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the entries as the child reads them; raises ValidationError where there are too many."""
        if isinstance(data, list) and len(data) > self._most:
            self.fail("max_length", max_length=self._most)
        return super().to_internal_value(data)


class DictField(serializers.DictField):
    """An object of at most `max_length` names; a longer one costs no more than counting them."""

    default_error_messages = {
        "max_length": _("Ensure this field has no more than {max_length} elements."),
    }

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the values as the child reads them, by name; raises ValidationError at too many names."""
        if isinstance(data, Mapping) and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)
