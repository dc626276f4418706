"""Commands that need neither Django nor a server, for `manage.py` and for an installed `parable`."""
