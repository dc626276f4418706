"""Formats for Simplified Chinese."""
