"""Formats of dates and times for each language, used by Django's FORMAT_MODULE_PATH."""
