"""Pages of releases: their list, cutting one, one release, and its files."""
