"""The site's settings, with a bare view added to the site's addresses."""

from config.settings import *  # noqa: F403 - settings are names, all of them

ROOT_URLCONF = "benchmarks.queue.bare"
