"""The programming interface of stories, of groups of similar stories, and of imports of stories."""
