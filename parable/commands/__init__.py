"""Commands that run without Django and a server, by `manage.py` or by an installed `parable`."""
