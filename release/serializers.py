"""Shapes of the JSON about releases."""

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from rest_framework import serializers

from release.score import LARGEST_UPLOAD


class ReleaseSerializer(serializers.Serializer):
    """A release with the data that every member may see."""

    version = serializers.CharField()
    state = serializers.CharField()
    step = serializers.IntegerField()
    steps = serializers.IntegerField()
    is_silent = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    reason = serializers.CharField(allow_blank=True)


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

    def validate_file(self, file: "UploadedFile[bytes]") -> "UploadedFile[bytes]":
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
