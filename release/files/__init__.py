"""What a release folder holds, rendered from what is frozen: data files, metadata, programs. Pure."""
