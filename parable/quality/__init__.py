"""Checks the quality of items and of sets of items by readable rules. No Django, no database."""
