"""Pages of runs, responses, results, calibrations and panels."""
