"""Formats of dates and times, with one format per length and language."""
