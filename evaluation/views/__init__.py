"""Pages of measurements: runs, their responses, panels and the solving page."""
