"""One archive that holds a site: its database and its files, and the way back.

`archive` is the format and `manifest` its list of contents, `tables` copies rows out of PostgreSQL and into
it, `files` the data folder; `snapshot` and `restore` put these together, `check` says beforehand whether an
archive can be restored, `commands` is what `manage.py backup` and `restore` run.
Nothing here needs PostgreSQL's own programs, so an archive fits every version that Parable runs on.
"""

from config.backup.errors import BackupError

__all__ = ["BackupError"]
