"""Which process may know which setting, for docker-compose.yml and the manifests of Kubernetes alike."""

from __future__ import annotations

from typing import Final

from config import settings

PROCESSES: Final = ("migrate", "web", "worker", "llm-worker", "beat")
ROWS: Final = frozenset({"migrate", "web", "worker", "llm-worker"})
ONLY: Final[dict[str, frozenset[str]]] = {
    "DATABASE_OWNER_URL": frozenset({"migrate"}),
    # seals keys of endpoints and webhooks, and tokens of hubs; a backup notes its fingerprint
    "PARABLE_KEY_SECRETS": ROWS,
    "PARABLE_METRICS_TOKEN": frozenset({"web"}),
    **dict.fromkeys(
        (
            f"PARABLE_S3_{name}"
            for name in (
                *("BUCKET", "URL", "KEY", "SECRET", "REGION", "PREFIX", "ADDRESSING", "ENCRYPTION"),
                "SECONDS",
            )
        ),
        ROWS,
    ),
    # `web` says whether there is a daily mail, `worker` sends it
    "PARABLE_MAIL_URL": frozenset({"web", "worker"}),
    **dict.fromkeys(
        (f"PARABLE_OIDC_{name}" for name in ("URL", "CLIENT", "SECRET", "NAME", "GROUPS", "HOURS")),
        frozenset({"web"}),
    ),
}
"""The settings that are not for every process, with the processes that read them."""
MODEL_KEYS: Final = frozenset({"web", "llm-worker"})
"""The processes that send keys of language models: one tries endpoints, the other calls them."""
SECRETS: Final = frozenset(
    {
        *("DATABASE_OWNER_URL", "DATABASE_URL", "REDIS_URL", "PARABLE_SECRET_KEY", "PARABLE_KEY_SECRETS"),
        *("PARABLE_METRICS_TOKEN", "PARABLE_S3_KEY", "PARABLE_S3_SECRET"),
        *("PARABLE_MAIL_URL", "PARABLE_OIDC_URL", "PARABLE_OIDC_CLIENT", "PARABLE_OIDC_SECRET"),
    }
)
"""The settings that hold a secret, or are of use with one only."""


def known_to(process: str) -> set[str]:
    """Return the settings that a process may be given."""
    return {name for name in settings.env.declared if process in ONLY.get(name, PROCESSES)}
