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


class ComparisonSerializer(serializers.Serializer):  # type: ignore[type-arg]  # generic in the stubs alone
    """What differs between two releases. `moved`: id, and [before, after] of split, key, order, ids."""

    before = serializers.CharField()
    after = serializers.CharField()
    counts = serializers.DictField(child=serializers.DictField())
    same = serializers.IntegerField()
    added = serializers.ListField(child=serializers.CharField())
    retired = serializers.ListField(child=serializers.CharField())
    reworded = serializers.ListField(child=serializers.DictField())
    moved = serializers.ListField(child=serializers.DictField())
