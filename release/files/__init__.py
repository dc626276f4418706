"""The files of a release, rendered from frozen data: data files, metadata and programs. Pure functions."""
