"""Checks of the quality of items and of whole sets, by readable rules. No Django, no database."""
