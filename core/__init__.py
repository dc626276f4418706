"""Exceptions of services, results of permission checks, and checked invariants, used by every app."""
