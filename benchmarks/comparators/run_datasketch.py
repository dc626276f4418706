"""Runs datasketch on some texts: run_datasketch.py TEXTS.json.

Each candidate of its index is compared in full.
"""

import json
import sys
import time
from pathlib import Path

from datasketch import MinHash, MinHashLSH

WIDTH = 3


def pieces(text: str) -> set[str]:
    """Return the overlapping pieces of a text, defined as ours are."""
    return {text[start : start + WIDTH] for start in range(len(text) - WIDTH + 1)}


texts, least = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
begun = time.process_time()
index, cut, pairs = MinHashLSH(threshold=least, num_perm=128), [], []
for place, text in enumerate(texts):
    own = pieces(text)
    hashes = MinHash(num_perm=128)
    hashes.update_batch([piece.encode() for piece in own])
    found = index.query(hashes)
    pairs += [(one, place) for one in found if len(own & cut[one]) / len(own | cut[one]) >= least]
    index.insert(place, hashes)
    cut.append(own)
print(json.dumps({"time": time.process_time() - begun, "pairs": pairs}))
