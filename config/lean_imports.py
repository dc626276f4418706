"""Imports redis without OpenTelemetry, before anything else imports it.

Where OpenTelemetry is installed, redis-py imports it for metrics that we do not use: 3.5 MB and a tenth of a
second of a processor for every process, also on a site that sends no traces.
"""

from __future__ import annotations

import sys
from typing import Any, cast

NAME = "opentelemetry"

if NAME not in sys.modules:
    cast("dict[str, Any]", sys.modules)[NAME] = None  # an import of it fails
    import redis  # noqa: F401 - for what it leaves in sys.modules

    del sys.modules[NAME]
