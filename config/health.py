"""What a load balancer or container runtime asks: can this process do its work?"""

from __future__ import annotations

import logging

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


@require_safe
@never_cache
def show_health(request: HttpRequest) -> JsonResponse:
    """Answer 200 where the database and Redis answer, else 503; says which one does not."""
    parts = {"database": _database_answers(), "redis": _redis_answers()}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("The database does not answer.")
        return False
    return True


def _redis_answers() -> bool:
    try:
        cache.get("healthz")
    except RedisError:
        logger.exception("Redis does not answer.")
        return False
    return True
