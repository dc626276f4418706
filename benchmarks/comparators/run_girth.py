"""Runs girth on one matrix: run_girth.py IN.npz OUT.npz MODEL.

Girth's own tolerance is 0.001 on discrimination.
"""

import sys
import time

import girth
import numpy as np

MOST_CYCLES = 200
source, target, model = sys.argv[1:]
cells = np.load(source)["cells"].T.astype(int)
start, worked = time.perf_counter(), time.process_time()
if model == "3pl":
    found = girth.threepl_mml(cells, {"max_iteration": MOST_CYCLES})
else:
    found = girth.twopl_mml(cells, {"max_iteration": MOST_CYCLES})
took, worked = time.perf_counter() - start, time.process_time() - worked
known = found["Difficulty"], found["Discrimination"]
ability = girth.ability_3pl_eap(cells, *known, found["Guessing"]) if model == "3pl" else found["Ability"]
np.savez(
    target, time=took, processor_time=worked, difficulty=known[0], discrimination=known[1], ability=ability
)
