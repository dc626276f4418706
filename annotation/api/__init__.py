"""The programming interface of items, their wordings, drafts, comments and imports, and of assignments."""
