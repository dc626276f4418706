"""Pages of stories: their list, a story with its wordings, and the import."""
