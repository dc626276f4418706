"""Shapes of the JSON that tells of releases."""

from rest_framework import serializers


class ReleaseSerializer(serializers.Serializer):  # type: ignore[type-arg]  # generic in the stubs alone
    """A release as every member may know it."""

    version = serializers.CharField()
    state = serializers.CharField()
    step = serializers.IntegerField()
    steps = serializers.IntegerField()
    is_silent = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    reason = serializers.CharField(allow_blank=True)
