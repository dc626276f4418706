"""Fills every table with rows without using services, for tests that only read them.

Triggers and checks are disabled for the transaction of the test, since such rows violate rules. Row N of a
table refers to row N of each table that it refers to.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.utils import timezone

FIRST: Final = 1_000_000
"""Added to the number of a row, so that ids do not collide with a test's other rows."""

Values = Mapping[type[models.Model], Mapping[str, Any]]
_PLAIN: Final[tuple[tuple[type[Any], Any], ...]] = (
    (models.BooleanField, True),
    (models.DecimalField, Decimal(1)),
    (models.FloatField, 0.5),
    (models.DurationField, timedelta(seconds=1)),
    (models.BinaryField, b"x"),
)


def lift_rules(tables: Iterable[str]) -> None:
    """Disable triggers and checks of these tables until the transaction is rolled back."""
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
            cursor.execute(
                "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('c', 'x')",
                [table],
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')


def our_models(labels: Iterable[str]) -> list[type[models.Model]]:
    """Return the models of these apps, including the tables of many-to-many relations."""
    known = set(labels)
    found = [one for one in apps.get_models(include_auto_created=True) if one._meta.app_label in known]
    return [one for one in found if all(to._meta.app_label in known for to in _required(one))]


def _required(model: type[models.Model]) -> list[type[models.Model]]:
    fields = [field for field in model._meta.concrete_fields if field.remote_field and not field.null]
    return [field.related_model for field in fields]  # type: ignore[misc]  # all are bound


def fill(found: Iterable[type[models.Model]], numbers: Iterable[int], values: Values) -> None:
    """Add a row with each of these numbers to each table."""
    rows = list(numbers)
    for model in found:
        model._base_manager.bulk_create(_row(model, number, values.get(model, {})) for number in rows)


def _row(model: type[models.Model], number: int, values: Mapping[str, Any]) -> models.Model:
    row = model()
    for field in model._meta.concrete_fields:
        if not field.generated:
            setattr(row, field.attname, values.get(field.name, _value(field, number)))
    return row


def _value(field: Any, number: int) -> Any:
    if field.primary_key and isinstance(field, models.IntegerField):
        return FIRST + number
    if field.remote_field is not None:
        return None if field.related_model is field.model else FIRST + number
    if field.choices:
        return next(value for value, _label in field.flatchoices if value != "")
    return next((value for kind, value in _PLAIN if isinstance(field, kind)), _by_number(field, number))


def _by_number(field: Any, number: int) -> Any:
    if isinstance(field, models.DateField):
        now = timezone.now() + timedelta(days=number)
        return now if isinstance(field, models.DateTimeField) else now.date()
    if isinstance(field, models.UUIDField):
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{field.name}/{number}")
    if isinstance(field, models.IntegerField):
        return number
    if isinstance(field, models.CharField | models.TextField):
        return f"{field.name}-{number}"[-field.max_length :] if field.max_length else f"{field.name}-{number}"
    default = field.get_default()
    if default is None and not field.null:
        return [] if isinstance(field, ArrayField) else {}
    return default
