"""Commands that need neither Django nor a server: of `manage.py`, and of `parable` where it is installed."""
