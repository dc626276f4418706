"""The site's settings, with a bare view beside the site's addresses."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.queue.bare"
