"""Promises of the plain packages under parable/."""
