"""Backup and restore of a site's database and files as one archive.

`archive` is the format and `manifest` its list of contents, `tables` copies rows out of PostgreSQL and into
it, `files` the data folder; `snapshot` and `restore` combine these, `check` decides in advance whether an
archive can be restored, `commands` implements `manage.py backup` and `restore`. PostgreSQL's own programs are
not needed, so an archive fits every version that Parable runs on.
"""

from config.backup.errors import BackupError

__all__ = ["BackupError"]
