"""Writes tests/it/linalg/hard_values.rs: hard matrices with their exponentials, singular values and
eigenvalues from 50 digits (mpmath). Needs: mpmath.
"""
import os
import mpmath as mp

mp.mp.dps = 50
HERE = os.path.dirname(os.path.abspath(__file__))

exponentials = [
    ('overscaled', [[0, 1e4], [0, -1]]),
    ('lower', [[0, 0, 0], [1e3, -1, 0], [1e5, 1e2, -2]]),
    ('Moler and Van Loan', [[-49, 24], [-64, 31]]),
    ('Ward', [[-131, 19, 18], [-390, 56, 54], [-387, 57, 52]]),
    ('a turn', [[0, -50], [50, 0]]),
    ('graded', [[1, 1e3, 1e6], [1e-3, 1, 1e3], [1e-6, 1e-3, 1]]),
    ('far from normal', [[1, 1e6], [-1e-6, 1]]),
    ('a fall', [[-1000, 500, 1], [500, -1000, 2], [0.5, 1, -900]]),
    ('general', [[1.5, -2, 3, 0.25], [0.5, 2, -1, 4], [3, 1, -2, 0.5], [-1, 2, 0.75, 1]]),
    ('small', [[1e-9, 2e-9], [-3e-9, 4e-9]]),
    ('nilpotent', [[2, -1, 1], [4, -2, 2], [0, 0, 0]]),
    ('nothing', [[0, 0], [0, 0]]),
]
decomposed = [
    ('Hilbert', [[1 / mp.mpf(i + j + 1) for j in range(8)] for i in range(8)]),
    ('nearly dependent', [[1, 1 + d] for d in (1e-7, -1e-7, 1e-7, -1e-7, 1e-7, -1e-7)]),
    ('graded', [[10.0 ** (-2 * i - 3 * j) for j in range(4)] for i in range(4)]),
    ('huge', [[x * 2.0 ** 100 for x in row] for row in [[1, 2, 3], [4, 5, 6], [7, 8, 10]]]),
    ('tiny', [[x * 2.0 ** -100 for x in row] for row in [[1, 2, 3], [4, 5, 6], [7, 8, 10]]]),
    ('rank one', [[(i + 1) * (j + 1) for j in range(3)] for i in range(5)]),
    ('a row', [[3, 4, 12, 84]]),
    ('a column', [[3], [4], [12]]),
    ('clustered', [[1 + (i == j) * 1e-6 * i for j in range(5)] for i in range(5)]),
    ('a multiple of the identity', [[7 * (i == j) for j in range(4)] for i in range(4)]),
]


def number(x):
    return repr(float(x))


def flat(a):
    return [float(x) for row in a for x in row]


def table(values):
    return '&[' + ', '.join(number(x) for x in values) + ']'


lines = ['//! Written by `tests/data/hard_matrices.py`: of 50 digits, rounded.', '']
lines += ['/// A name, the number of rows, a matrix, and what was computed of it.']
lines += ['type Case = (&\'static str, usize, &\'static [f64], &\'static [f64]);', '']
lines += ['/// Matrices and their exponentials.', '#[rustfmt::skip]', 'pub const EXPONENTIALS: &[Case] = &[']
for name, a in exponentials:
    x = mp.expm(mp.matrix(a), method='taylor') if max(map(abs, flat(a))) < 1e3 else None
    if x is None:
        with mp.workdps(2500):
            x = mp.expm(mp.matrix(a) / 2 ** 40)
            for _ in range(40):
                x = x * x
    values = [x[i, j] for i in range(len(a)) for j in range(len(a))]
    lines += [f'    ("{name}", {len(a)}, {table(flat(a))}, {table(values)}),']
lines += ['];', '', '/// Matrices and their singular values, descending.', '#[rustfmt::skip]']
lines += ['pub const SINGULAR: &[Case] = &[']
for name, a in decomposed:
    # Of the numbers as doubles hold them, which are floats here too but for Hilbert's.
    m = mp.matrix([[mp.mpf(float(x)) for x in row] for row in a])
    least = min(m.rows, m.cols)
    s = sorted((mp.svd_r(m, compute_uv=False)), reverse=True)[:least]
    lines += [f'    ("{name}", {m.rows}, {table(flat(a))}, {table(s)}),']
lines += ['];', '', '/// Symmetric matrices and their eigenvalues, ascending.', '#[rustfmt::skip]']
lines += ['pub const SYMMETRIC: &[Case] = &[']
for name, a in decomposed:
    m = mp.matrix([[mp.mpf(float(x)) for x in row] for row in a])
    if m.rows == m.cols:
        m = (m + m.T) / 2
        m = mp.matrix([[mp.mpf(float(m[i, j])) for j in range(m.cols)] for i in range(m.rows)])
        w = sorted(mp.eigsy(m, eigvals_only=True))
        values = [m[i, j] for i in range(m.rows) for j in range(m.cols)]
        lines += [f'    ("{name}", {m.rows}, {table(values)}, {table(w)}),']
lines += ['];', '']
path = os.path.join(HERE, '..', 'it', 'linalg', 'hard_values.rs')
open(path, 'w').write('\n'.join(lines))
