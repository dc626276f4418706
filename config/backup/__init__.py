"""Backs up and restores the database and files of a site as one archive.

`archive` defines the format and `manifest` its list of contents, `tables` copies rows out of and into
PostgreSQL, `files` copies the data folder; `snapshot` and `restore` combine these, `check` decides in advance
whether an archive can be restored, `commands` implements `manage.py backup` and `restore`. PostgreSQL's own
programs are not needed, so an archive fits every version that Parable runs on.
"""

from config.backup.errors import BackupError

__all__ = ["BackupError"]
