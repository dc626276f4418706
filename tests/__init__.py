"""Tests of Parable's promises."""
