"""Writes the dump of a site as it is made today, and the hashes of its migrations.

Usage: python -m tests.upgrades

Run it when a version is released, and add what it wrote. Earlier dumps stay as their versions stored them.
The people of the sample have no passwords in it.
"""

from __future__ import annotations

import lzma
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"

from config.local import local_services
from config.local.places import unprivileged_account
from config.local.programs import find_programs
from tests.architecture import BASE
from tests.config.programs import environment
from tests.services import SETTINGS
from tests.upgrades.stored import DUMPS, HASHES, hashes

LOAD = """
from accounts.models import User
from dashboard.queries.sample import FILL, samples_to_fill
from dashboard.services import finish_jobs, load_kinds, load_sample
load_sample(languages=["en"])
load_kinds()
for project in samples_to_fill():
    finish_jobs(FILL, project.pk)
User.objects.update(password="!")
"""
OF_A_CLIENT = re.compile(r"^(?:\\(?:un)?restrict \w+|SET transaction_timeout = 0;)\n", re.MULTILINE)
"""Lines that only the newest psql or server understands."""


def main() -> None:
    """Write the dump of today, and the hashes of all migrations."""
    dump = DUMPS / f"site-{datetime.now(UTC):%Y-%m-%d}.sql.xz"
    dump.write_bytes(lzma.compress(dumped_site().encode(), preset=9 | lzma.PRESET_EXTREME))
    lines = [f"{digest}  {name}\n" for name, digest in sorted(hashes().items())]
    HASHES.write_text("".join(lines), encoding="ascii")
    print(f"{dump.relative_to(BASE)}: {dump.stat().st_size} bytes; {len(lines)} migrations")


def dumped_site() -> str:
    """Return the SQL of a new site with the sample, without owners and rights."""
    with tempfile.TemporaryDirectory(prefix="parable-dump-") as folder:
        home = Path(folder)
        home.chmod(0o711)  # root runs PostgreSQL as another user
        with local_services(home, durable=False) as addresses:
            named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | addresses
            named["PARABLE_LOCAL_SERVERS"] = "False"
            for arguments in (["migrate", "--verbosity", "0"], ["shell", "--no-imports", "--command", LOAD]):
                command = [sys.executable, str(BASE / "manage.py"), *arguments]
                subprocess.run(command, check=True, env=environment(home, **named))
            program = find_programs(unprivileged_account()) / "pg_dump"
            options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=200"]
            asked = [str(program), *options, "--dbname", addresses["DATABASE_OWNER_URL"]]
            text = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return OF_A_CLIENT.sub("", text)


if __name__ == "__main__":
    main()
