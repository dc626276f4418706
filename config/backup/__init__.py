"""One archive that holds a site: its database and its files, and the way back.

`archive` is the format, `tables` copies rows out of PostgreSQL and into it, `files` the data folder;
`saving` and `restoring` put these together, `commands` is what `manage.py backup` and `restore` run.
Nothing here needs PostgreSQL's own programs, so an archive fits every version that Parable runs on.
"""

from config.backup.errors import BackupError

__all__ = ["BackupError"]
