"""Code that the pages, the admin and the commands of several apps share."""
