"""Code shared by the pages, the admin and the management commands of several apps."""
