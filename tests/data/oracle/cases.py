"""Dtypes, rounding, and the writer of one topic's cases.

A key of an array ends in the name of its element type, which decides how its bits are read: `x.f16` and `x.bf16` hold
the bits in u16, every other type is NumPy's own.
"""

import numpy as np

SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["u8", "u16", "u32", "u64"]
INTS, FLOATS, COMPLEX = SIGNED + UNSIGNED, ["f16", "bf16", "f32", "f64"], ["c64", "c128"]
REAL = INTS + FLOATS
ALL = ["bool"] + REAL + COMPLEX

NUMPY = {
    "bool": np.bool_,
    **{f"i{8 * n}": np.dtype(f"i{n}").type for n in (1, 2, 4, 8)},
    **{f"u{8 * n}": np.dtype(f"u{n}").type for n in (1, 2, 4, 8)},
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}
# What is exact, or nearly, for values of the type.
WIDE = {**{f: np.longdouble for f in FLOATS}, **{c: np.clongdouble for c in COMPLEX}}
EPS = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52, "c64": 2.0**-23, "c128": 2.0**-52}
PART = {"c64": "f32", "c128": "f64"}


def round_bf16(values):
    """Nearest bfloat16 of f64 values, ties to even, as f32."""
    values = np.asarray(values, np.float64)
    _, exponent = np.frexp(values)
    # The quantum of a subnormal is that of the smallest normal number, hence the floor.
    quantum = np.ldexp(1.0, np.maximum(exponent - 8, -133))
    rounded = np.where(np.isfinite(values), np.rint(values / quantum) * quantum, values)
    too_large = np.abs(rounded) > 3.3895313892515355e38
    return np.where(too_large, np.copysign(np.inf, values), rounded).astype(np.float32)


def rounded(values, dtype):
    """Values in higher precision to the values of an element type, in the NumPy type that holds them."""
    values = np.asarray(values)
    if dtype == "bf16":
        return np.asarray(round_bf16(values))
    if dtype == "f16":
        values = values.astype(np.float64)
    return values.astype(NUMPY[dtype])


def encode(values, dtype):
    """The array as it is stored."""
    values = np.array(rounded(values, dtype), order="C")
    if dtype == "f16":
        return values.view(np.uint16)
    if dtype == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values


class Topic:
    """Collects cases and the arrays that they name; a topic is one `.npz` file."""

    def __init__(self, name):
        self.file, self.name = f"{name}.npz", name
        self.arrays, self.cases, self.stored = {}, [], {}

    def array(self, key, values, dtype):
        """Stores an array once, under `key.dtype`; equal arrays share one key."""
        data = encode(values, dtype)
        same = (dtype, data.shape, data.tobytes())
        if same not in self.stored:
            full = f"{key}.{dtype}"
            assert full not in self.arrays, full
            self.arrays[full] = data
            self.stored[same] = full
        return self.stored[same]

    def case(self, op, dtype, inputs, outputs, params=None, ulp=0, rtol=0.0, atol=0.0, signed_zero=False):
        """`inputs` and `outputs` are pairs of values and dtype; `outputs` of None says that the op must refuse."""
        number = len(self.cases)
        case = dict(id=f"{self.name}/{number}/{op}/{dtype}", file=self.file, op=op, dtype=dtype, params=params or {})
        case["inputs"] = [self.array(f"i{number}_{k}", v, d) for k, (v, d) in enumerate(inputs)]
        case["outputs"] = [self.array(f"o{number}_{k}", v, d) for k, (v, d) in enumerate(outputs or [])]
        for name, value in dict(ulp=ulp, rtol=float(rtol), atol=float(atol), signed_zero=signed_zero).items():
            if value:
                case[name] = value
        if outputs is None:
            case["error"] = True
        self.cases.append(case)
