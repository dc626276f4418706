"""The programming interface of projects, members, guidelines, types and access tokens."""
