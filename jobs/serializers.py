"""Serializers of the JSON API for the progress of jobs."""

from rest_framework import serializers


class FailureSerializer(serializers.Serializer):
    """A reason why calls of a job failed, and the number of these calls."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    count = serializers.IntegerField()
    server_says = serializers.CharField()


class ProgressSerializer(serializers.Serializer):
    """The progress of a job; amounts of money are in the project's currency."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    total = serializers.IntegerField()
    finished = serializers.IntegerField()
    by_state = serializers.DictField(child=serializers.IntegerField())
    cost = serializers.DecimalField(max_digits=14, decimal_places=6)
    limit = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    currency = serializers.CharField()
    per_minute = serializers.FloatField(allow_null=True)
    seconds_left = serializers.IntegerField(allow_null=True)
    failures = FailureSerializer(many=True)
