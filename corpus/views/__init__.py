"""Pages of stories: the list, a story with its revisions, and the import."""
