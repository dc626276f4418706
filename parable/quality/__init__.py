"""Checks the quality of items and of sets of items by rules that people can read. No Django, no database."""
