"""Runs the 2PL of py-irt on one matrix: run_py_irt.py IN.npz OUT.npz EPOCHS."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from py_irt.config import IrtConfig
from py_irt.training import IrtModelTrainer

source, target, epochs = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cells = np.load(source)["cells"]
lines = source.with_suffix(".jsonlines")
with lines.open("w", encoding="utf-8") as file:
    for who, row in enumerate(cells):
        responses = {f"i{item}": int(cell) for item, cell in enumerate(row)}
        file.write(json.dumps({"subject_id": f"s{who}", "responses": responses}) + "\n")
trainer = IrtModelTrainer(data_path=lines, config=IrtConfig(model_type="2pl", priors="vague"), verbose=False)
start, worked = time.perf_counter(), time.process_time()
trainer.train(epochs=epochs, device="cpu")
took, worked = time.perf_counter() - start, time.process_time() - worked
found, known = trainer.best_params, trainer._dataset  # noqa: SLF001 - it has no other name
items = [known.item_id_to_ix[f"i{n}"] for n in range(cells.shape[1])]
people = [known.subject_id_to_ix[f"s{n}"] for n in range(len(cells))]
np.savez(
    target,
    time=took,
    processor_time=worked,
    difficulty=np.asarray(found["diff"])[items],
    discrimination=np.asarray(found["disc"])[items],
    ability=np.asarray(found["ability"])[people],
)
