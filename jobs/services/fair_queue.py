"""The queue of jobs. Projects take turns, so that many jobs of one project do not delay the others.

A message to a worker only says that there is work. A free worker takes the oldest job of the project whose
last turn was longest ago. If the queue is lost (Redis emptied, a worker killed), the sweep enqueues the jobs
again from their rows.
"""

from functools import cache
from typing import Final

import redis
from django.conf import settings
from redis.commands.core import Script

# KEYS: projects by their last turn, the number of turns taken, this project's jobs by arrival. ARGV: project,
# job. A job already in the queue keeps its position.
_ADD: Final = """
local order = redis.call('INCR', KEYS[2] .. ':arrivals')
redis.call('ZADD', KEYS[3], 'NX', order, ARGV[2])
-- A project that comes anew goes before the one that was served last, and after all others.
redis.call('ZADD', KEYS[1], 'NX', (redis.call('GET', KEYS[2]) or 0) - 0.5, ARGV[1])
"""

# KEYS: projects by their last turn, the number of turns taken. ARGV: the prefix of the keys of projects'
# jobs.
_NEXT: Final = """
while true do
  local project = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not project then return false end
  local work = redis.call('ZPOPMIN', ARGV[1] .. project)[1]
  if work then
    redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), project)
    return work
  end
  redis.call('ZREM', KEYS[1], project)
end
"""
_PROJECTS: Final = "parable:line:projects"
_TURNS: Final = "parable:line:turns"
_JOBS_OF: Final = "parable:line:of:"


def stand_in_line(*, project_id: int, job_id: int) -> None:
    """Append a job to its project's queue. A job already in the queue keeps its position."""
    _script(settings.REDIS_URL, _ADD)(
        keys=[_PROJECTS, _TURNS, f"{_JOBS_OF}{project_id}"], args=[project_id, job_id]
    )


def next_in_line() -> int | None:
    """Remove the next job from the queue and return its id, or None if the queue is empty."""
    found = _script(settings.REDIS_URL, _NEXT)(keys=[_PROJECTS, _TURNS], args=[_JOBS_OF])
    return None if found is None else int(found)


@cache
def _script(url: str, script: str) -> Script:
    return redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5).register_script(script)
