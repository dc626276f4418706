"""Shapes of the JSON about releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from rest_framework import serializers

from release.options import LONGEST_CONTACT, OPTIONS, Kind, Option
from release.score import LARGEST_UPLOAD
from web.serializers import DictField, ListField

MOST_NAMED: Final = 100
"""The maximum number of tasks, styles or gates in a list; fewer exist."""
LARGEST_NUMBER: Final = 999_999


class ReleaseSerializer(serializers.Serializer):
    """A release with the data that every member may see.

    `step` of `steps` is the progress of its build. `counts`: items by task and split. `reason`: why it failed
    or was withdrawn, or "".
    """

    version = serializers.CharField()
    state = serializers.CharField()
    step = serializers.IntegerField()
    steps = serializers.IntegerField()
    is_silent = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    reason = serializers.CharField(allow_blank=True)
    extends = serializers.CharField(allow_blank=True)
    withholds_answers = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    ready_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class OptionsSerializer(serializers.Serializer):
    """The options of a release, as the command `build_release` and the pages have them; see `options.py`.

    The service checks their values and says what is wrong with each.
    """

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a field for each option."""
        return {option.name: _field(option) for option in OPTIONS}

    def validate_dev_items(self, counts: Mapping[str, int]) -> Mapping[str, int]:
        """Return the numbers by task. Raise `ValidationError` for an unknown task."""
        option = next(one for one in OPTIONS if one.kind is Kind.COUNTS)
        if problem := option.check(counts, {"train_share": ""}):
            raise serializers.ValidationError(problem)
        return counts


def _field(option: Option) -> serializers.Field[Any, Any, Any, Any]:
    about: Any = {"required": False, "help_text": str(option.argument)}
    if option.kind is Kind.SWITCH:
        return serializers.BooleanField(**about)
    if option.kind is Kind.SEVERAL:
        return ListField(child=serializers.CharField(max_length=40), max_length=MOST_NAMED, **about)
    if option.kind is Kind.NUMBER:
        return serializers.IntegerField(min_value=0, max_value=LARGEST_NUMBER, **about)
    if option.kind is Kind.COUNTS:
        number = serializers.IntegerField(min_value=0, max_value=LARGEST_NUMBER)
        return DictField(child=number, max_length=MOST_NAMED, **about)
    return serializers.CharField(allow_blank=True, max_length=option.longest or LONGEST_CONTACT, **about)


class NewReleaseSerializer(OptionsSerializer):
    """The options of a new release; `allow`: the gates to override, `reason`: why, for the data card."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a field for each option, and those of overridden gates."""
        gates = ListField(child=serializers.CharField(max_length=40), max_length=MOST_NAMED, required=False)
        reason = serializers.CharField(max_length=1000, required=False, allow_blank=True)
        found = super().get_fields() | {"allow": gates, "reason": reason}
        found["version"].required = True
        return found


class RecipeSerializer(OptionsSerializer):
    """All options of a release, and the gates that were overridden for a reason."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a field for each option, all of them given."""
        found = super().get_fields()
        for field in found.values():
            field.required = True
        allow = serializers.ListField(child=serializers.CharField())
        return {**found, "allow": allow, "reason": serializers.CharField(allow_blank=True)}


class OneReleaseSerializer(ReleaseSerializer):
    """A release. `recipe`: its options, for those who may open it, else null; a secret seed is ""."""

    recipe = RecipeSerializer(allow_null=True)
    uploads_in_all = serializers.IntegerField(allow_null=True)


class GateSerializer(serializers.Serializer):
    """The result of a gate for one task, or for all tasks if `task` is null."""

    gate = serializers.CharField()
    name = serializers.CharField()
    task = serializers.CharField(allow_null=True)
    verdict = serializers.CharField()
    figure = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    threshold = serializers.FloatField(allow_null=True)


class ComparisonSerializer(serializers.Serializer):
    """The differences between two releases. `moved`: id, and [before, after] of split, key, order, id."""

    before = serializers.CharField()
    after = serializers.CharField()
    counts = serializers.DictField(child=serializers.DictField())
    same = serializers.IntegerField()
    added = serializers.ListField(child=serializers.CharField())
    retired = serializers.ListField(child=serializers.CharField())
    reworded = serializers.ListField(child=serializers.DictField())
    moved = serializers.ListField(child=serializers.DictField())


class ResponsesSerializer(serializers.Serializer):
    """A team's responses: JSON lines in a file."""

    file = serializers.FileField()

    def validate_file(self, file: UploadedFile[bytes]) -> UploadedFile[bytes]:
        """Return the file. Raise `ValidationError` for a file that is too large to be read into memory."""
        if file.size is not None and file.size > LARGEST_UPLOAD:
            raise serializers.ValidationError(
                gettext("The file is larger than %(most)d MB.") % {"most": LARGEST_UPLOAD >> 20}
            )
        return file


class TotalsSerializer(serializers.Serializer):
    """The result of one task: items, answers that name no option, and the best accuracy so far.

    `accuracy` is rounded down to steps of `step`. If `is_better` is false, this upload was not better than
    the team's best by a whole step, and `accuracy` is the team's earlier best.
    """

    n = serializers.IntegerField()
    unparsed = serializers.IntegerField()
    accuracy = serializers.FloatField()
    step = serializers.FloatField()
    is_better = serializers.BooleanField(required=False)


class UploadSerializer(serializers.Serializer):
    """One upload; `totals` by task, empty until it is scored; `reason`: why the file was refused, or ""."""

    examinee = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    totals = serializers.DictField(child=TotalsSerializer())
    created_at = serializers.DateTimeField()


class TeamSerializer(serializers.Serializer):
    """A team's uploads, newest first, and how many uploads it has left, now and in all."""

    release = serializers.CharField()
    left = serializers.IntegerField()
    left_in_all = serializers.IntegerField()
    uploads = UploadSerializer(many=True)
