"""Calls are tried out as drafting uses them: with the fixture of its tests."""

from __future__ import annotations

from tests.generation.conftest import bench

__all__ = ["bench"]
