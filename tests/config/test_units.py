"""The units of systemd and the rule of logrotate, judged by their own programs and by our rules."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from config import settings
from tests.architecture import BASE

FOLDER: Final = BASE / "deploy" / "systemd"
SERVICES: Final = ("parable.service", "parable@.service", "parable-backup.service")
WORST: Final = 2.0
"""The exposure, of 10, above which `systemd-analyze security` may not rate a unit."""
WRITABLE: Final = {
    "parable.service": "/srv/parable/data",
    "parable@.service": "/srv/parable/data",
    "parable-backup.service": "/srv/parable/data /srv/backups",
}
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")


def _lines(name: str) -> list[str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _values(name: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in _lines(name) if "=" in line)


@needs_systemd
def test_systemd_understands_them(tmp_path: Path) -> None:
    python = tmp_path / "app" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(0o755)
    units = []
    for source in FOLDER.iterdir():
        unit = tmp_path / source.name
        text = source.read_text(encoding="utf-8").replace("/srv/parable/app", str(python.parents[2]))
        unit.write_text(text, encoding="utf-8")
        units.append(str(unit))
    judged = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
        capture_output=True, text=True, check=False, env=os.environ | {"SYSTEMD_LOG_LEVEL": "warning"},
    )  # fmt: skip
    assert (judged.returncode, judged.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_they_may_do_little(name: str) -> None:
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={WORST * 10:.0f}"]
    judged = subprocess.run([*command, str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_they_write_to_their_data_alone(name: str) -> None:
    said = _values(name)
    assert said["User"] == "parable"
    assert said["ProtectSystem"] == "strict"
    assert said["ReadWritePaths"] == WRITABLE[name]
    assert (said["CapabilityBoundingSet"], said["NoNewPrivileges"], said["UMask"]) == ("", "true", "0077")


def test_they_are_confined_alike() -> None:
    confined = {
        name: [
            line for line in _lines(name)[_lines(name).index("UMask=0077") :] if "ReadWritePaths" not in line
        ]
        for name in SERVICES
    }
    ends = {name: lines[: lines.index("SystemCallErrorNumber=EPERM") + 1] for name, lines in confined.items()}
    assert ends["parable.service"] == ends["parable@.service"] == ends["parable-backup.service"]


@pytest.mark.parametrize(
    ("name", "restart"), [("parable.service", "on-failure"), ("parable@.service", "always")]
)
def test_a_stop_has_time_and_a_fault_begins_again(name: str, restart: str) -> None:
    said = _values(name)
    assert (said["Restart"], said["KillMode"]) == (restart, "mixed")
    assert int(said["TimeoutStopSec"]) >= settings.STOP_SECONDS + 30


def test_the_backup_is_made_each_night_after_the_site_did_its_own_work() -> None:
    said = _values("parable-backup.timer")
    assert said["OnCalendar"] == "*-*-* 03:30:00"
    assert said["Persistent"] == "true"
    assert "--keep 14" in _values("parable-backup.service")["ExecStart"]


@pytest.mark.skipif(not shutil.which("logrotate") or os.geteuid() != 0, reason="needs logrotate, and root")
def test_a_log_is_rotated_while_the_site_writes_to_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    log, rule = tmp_path / "site.log", tmp_path / "rule"
    text = (BASE / "deploy" / "logrotate").read_text(encoding="utf-8")
    assert "/var/log/parable/*.log" in text
    rule.write_text(text.replace("/var/log/parable/*.log", str(log)), encoding="utf-8")
    with log.open("a", encoding="utf-8") as written:
        for line in ("first\n", "second\n"):
            written.write(line)
            written.flush()
            command = ["logrotate", "--force", "--state", str(tmp_path / "state"), str(rule)]
            subprocess.run(command, check=True, capture_output=True)
        written.write("third\n")
    assert log.read_text(encoding="utf-8") == "third\n"
    assert (tmp_path / "site.log.1").read_text(encoding="utf-8") == "second\n"
    assert (tmp_path / "site.log.2.gz").exists()
