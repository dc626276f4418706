"""The contents of a release folder, rendered from frozen data: data files, metadata and programs. Pure."""
