"""Runs our calibration on one matrix: run_ours.py IN.npz OUT.npz MODEL TOLERANCE.

The measured time includes standard errors.
"""

import resource
import sys
import time

import numpy as np

from parable.psychometrics.irt import calibrate
from parable.psychometrics.responses import make_matrix

source, target, model, tolerance = sys.argv[1:]
matrix = make_matrix(np.load(source)["cells"])
calibrate(make_matrix(np.load(source)["cells"][:200]), model)  # what is loaded when first used is not timed
start, worked = time.perf_counter(), time.process_time()
found = calibrate(matrix, model, tolerance=float(tolerance))
took, worked = time.perf_counter() - start, time.process_time() - worked
np.savez(
    target,
    time=took,
    processor_time=worked,
    difficulty=found.difficulty,
    discrimination=found.discrimination,
    ability=found.ability,
    peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    converged=found.converged,
)
