"""Pages to show, edit, group and import stories."""
