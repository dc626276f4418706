#!/usr/bin/env bash
# SciPy's connected_components says that a graph has no components where its indices have 64 bits.
#
# Expected: the number of components, and a label from 0 on for each node; or an error that can be caught. Arrays
# of NumPy are 64 bits wide by default, and `csr_array` keeps what coordinates it is given.
# What happens: with SciPy 1.11.2 the number is 0 and each label is -9999. The error inside is printed as ignored
# and never raised, so a program goes on with these labels; the same graph as `csr_matrix`, which makes its
# indices narrower by itself, is labelled rightly. SciPy 1.12.0 labels both. Who supports SciPy 1.11 (any
# program that groups raters, items or documents by their links) must hand it 32-bit indices.
# Output seen on 28 November 2026 (Python 3.11, x86-64, NumPy 1.26.0):
#   SciPy 1.11.2, csr_array: int64 indices, 0 components, labels [-9999, -9999, -9999, -9999, -9999]
#   SciPy 1.11.2, csr_matrix: int32 indices, 3 components, labels [0, 0, 1, 2, 2]
#   SciPy 1.12.0, csr_array: int64 indices, 3 components, labels [0, 0, 1, 2, 2]
#   SciPy 1.12.0, csr_matrix: int32 indices, 3 components, labels [0, 0, 1, 2, 2]
set -euo pipefail
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 12))' || {
    echo "SciPy 1.11.2 has wheels for Python 3.9 to 3.12: name one by PYTHON."
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >label.py <<'PYTHON'
import numpy as np
import scipy
from scipy.sparse import csr_array, csr_matrix
from scipy.sparse.csgraph import connected_components

rows, columns = np.array([0, 1, 3]), np.array([1, 0, 4])  # 0 and 1 are linked, 3 and 4 are, 2 is alone
for form in (csr_array, csr_matrix):
    graph = form((np.ones(3), (rows, columns)), shape=(5, 5))
    number, labels = connected_components(graph, directed=False)
    print(
        f"SciPy {scipy.__version__}, {form.__name__}: {graph.indices.dtype} indices,"
        f" {number} components, labels {labels.tolist()}"
    )
PYTHON
for version in 1.11.2 1.12.0; do
    "$python" -m venv "$version"
    "$version/bin/pip" --quiet --disable-pip-version-check install "scipy==$version" numpy==1.26.0 2>pip.txt || {
        tail -5 pip.txt
        exit 1
    }
    "$version/bin/python" label.py 2>errors.txt | tee -a said.txt
    grep -h "Exception ignored" errors.txt | sort -u || true
done
diff - said.txt <<'SEEN'
SciPy 1.11.2, csr_array: int64 indices, 0 components, labels [-9999, -9999, -9999, -9999, -9999]
SciPy 1.11.2, csr_matrix: int32 indices, 3 components, labels [0, 0, 1, 2, 2]
SciPy 1.12.0, csr_array: int64 indices, 3 components, labels [0, 0, 1, 2, 2]
SciPy 1.12.0, csr_matrix: int32 indices, 3 components, labels [0, 0, 1, 2, 2]
SEEN
echo "As seen."
