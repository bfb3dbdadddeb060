"""Writes the files of sparse matrices by SciPy that tests/it/sparse.rs reads: one matrix in three formats."""

from pathlib import Path

import numpy as np
import scipy.sparse as sparse

here = Path(__file__).parent
rows, cols = np.array([0, 2, 2, 3, 0]), np.array([4, 0, 3, 1, 1])
entries = sparse.coo_array((np.array([1.5, -2.0, 3.0, 4.0, 0.25]), (rows, cols)), shape=(4, 5))
for form, matrix in [("coo", entries), ("csr", entries.tocsr()), ("csc", entries.tocsc())]:
    sparse.save_npz(here / f"{form}.npz", matrix)
sparse.save_npz(here / "old_coo.npz", sparse.coo_matrix(entries), compressed=False)
sparse.save_npz(here / "dia.npz", entries.todia())
