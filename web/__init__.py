"""Code shared by the pages, the admin and the commands of several apps."""
