"""Writes NumPy's integer results: integer_<type>.bin, rows of i64 (a, b, then one column an operation).

Operations: floor_divide, remainder, gcd, lcm, left_shift, right_shift, bitwise_count, absolute, sign.
Needs: numpy.
"""
import os
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(11)
for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
    info = np.iinfo(t)
    edge = [0, 1, 2, 3, 7, 8, 13, 63, 64, 100, info.max, info.max - 1, info.min, info.min + 1] + ([-1, -2, -3, -7, -8] if info.min else [])
    a = np.array([x for x in edge for _ in edge], dtype=t)
    b = np.array(edge * len(edge), dtype=t)
    a = np.concatenate([a, rng.integers(info.min, info.max, 60, dtype=t)])
    b = np.concatenate([b, rng.integers(max(info.min, -50), 50, 60, dtype=t)])
    with np.errstate(all='ignore'):
        columns = [a, b, a // b, a % b, np.gcd(a, b), np.lcm(a, b), a << b, a >> b, np.bitwise_count(a), np.abs(a), np.sign(a)]
    np.stack([c.astype(t).astype(np.int64) if t is not np.uint64 else c.astype(np.uint64).view(np.int64) for c in columns], axis=1).astype('<i8').tofile(os.path.join(HERE, f'integer_{np.dtype(t).name}.bin'))
