"""What a start needs that belongs to no single app: the sample. It writes by the other apps' services."""

from dashboard.services.sample import Person, load_sample

__all__ = ["Person", "load_sample"]
