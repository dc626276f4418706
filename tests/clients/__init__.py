"""Tests of the Python client and of `parable remote`."""
