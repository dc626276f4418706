"""Calls are tried out as drafting uses them: with the fixtures of its tests."""

from __future__ import annotations

from tests.generation.conftest import bench, stub

__all__ = ["bench", "stub"]
