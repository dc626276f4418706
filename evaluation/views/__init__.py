"""Pages of measurements: runs, their answers, panels and the solving page."""
