"""What the schema of the programming interface says of every endpoint: access tokens and problems."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "description": "Problem details (RFC 9457), in the caller's language.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what to do, for people."},
        "code": {"type": "string", "description": "The kind of problem, for programs."},
        "fields": {"type": "object", "description": "What is wrong with each field of the input."},
    },
    "required": ["type", "title", "status", "detail", "code"],
}


class AccessTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it has no annotations
    """Describes access tokens in the schema."""

    target_class = "projects.authentication.TokenAuthentication"
    name = "accessToken"

    def get_security_definition(self, _auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the scheme of a bearer token."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "parable_..."}


def add_problems(result: dict[str, Any], **_named: Any) -> dict[str, Any]:
    """Return the schema with the shape of refusals at every operation."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    refused = {
        "description": "Refused: see `detail`.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if cookie := result["components"].get("securitySchemes", {}).get("cookieAuth"):
        cookie["name"] = "sessionid"  # over HTTPS the site prefixes it, and a schema is the same everywhere
    for path in result["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and "responses" in operation:
                operation["responses"].setdefault("4XX", refused)
    return result
