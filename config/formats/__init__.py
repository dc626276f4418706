"""Formats of dates and times, with one format a length for each language."""
