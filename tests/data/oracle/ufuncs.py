"""Every elementwise op of NumPy's that Lazuli has, by element type, special values included."""

import math
from fractions import Fraction

import numpy as np

from .cases import ALL, COMPLEX, EPS, FLOATS, INTS, NUMPY, PART, WIDE, Topic, rounded

# Ops whose IEEE result is unique: no tolerance, and the sign of a zero counts.
EXACT_UNARY = {
    "negative": np.negative,
    "abs": np.abs,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
}
EXACT_BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "copysign": np.copysign,
}
SELECTING = {"maximum": np.maximum, "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin}
NEAR_UNARY = (
    "exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh degrees radians"
).split()
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
TESTS = ["isnan", "isinf", "isfinite", "signbit"]
COMPLEX_NEAR = "exp log log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh square reciprocal".split()


def limits(dtype):
    """Largest, smallest normal and smallest subnormal value."""
    if dtype == "bf16":
        return 3.3895313892515355e38, 2.0**-126, 2.0**-133
    info = np.finfo(NUMPY[dtype])
    return float(info.max), float(info.tiny), float(info.smallest_subnormal)


def specials(dtype):
    """The values that go wrong first, with both signs."""
    large, tiny, least = limits(dtype)
    eps = EPS[dtype]
    values = [0.0, np.inf, large, tiny, least, 3 * least, tiny - least, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 10.0]
    values += [1 - eps / 2, 1 + eps, eps, math.pi / 2, math.pi, math.e, 0.75, 100.0, math.sqrt(large)]
    return np.array([np.nan] + [s * v for v in values for s in (1, -1)])


def float_values(dtype, rng):
    """Specials, then common magnitudes, then all magnitudes; rounded to the element type."""
    large, tiny, _ = limits(dtype)
    spread = np.exp(rng.uniform(math.log(tiny), math.log(large) * 0.999, 32)) * rng.choice([-1, 1], 32)
    grid = [rng.uniform(-1, 1, 24), rng.normal(0, 8, 32), rng.uniform(-90, 90, 12), np.arange(-6, 7) + 0.0]
    return rounded(np.concatenate([specials(dtype), *grid, spread]), dtype)


def float_pairs(dtype, rng):
    """Each of a few specials with each, then random pairs."""
    large, tiny, least = limits(dtype)
    few = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.0, 2.5, large, -large, tiny, least, -least]
    x, y = (a.ravel() for a in np.meshgrid(few, few))
    random = [rng.normal(0, 4, 60), rng.uniform(0.1, 3, 20)], [rng.normal(0, 4, 60), rng.uniform(-3, 3, 20)]
    return tuple(rounded(np.concatenate([a, *b]), dtype) for a, b in zip((x, y), random))


def exact(function, dtype, *arguments):
    """f32 and f64 in their own arithmetic, halves in f64, where one rounding is left."""
    own = np.float64 if dtype in ("f16", "bf16") else NUMPY[dtype]
    return function(*[np.asarray(a, own) for a in arguments])


def wide(function, dtype, *arguments):
    return function(*[np.asarray(a, WIDE[dtype]) for a in arguments])


def sinc(x):
    reduced = x - 2 * np.rint(x / 2)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    return np.where(x == 0, 1, np.where(reduced == np.rint(reduced), 0, np.sin(pi * reduced)) / (pi * x))


def rem_euclid(x, y):
    r = np.fmod(x, y)
    return np.where(r < 0, r + np.abs(y), r)


def div_euclid(x, y):
    q, r = np.trunc(x / y), np.fmod(x, y)
    return np.where(r < 0, np.where(y > 0, q - 1, q + 1), q)


def mul_add(a, b, c):
    """Exact rational arithmetic of finite values, so that there is one rounding."""
    total = Fraction(a) * Fraction(b) + Fraction(c)
    return float(total) if total else a * b + c


def near_ulp(dtype):
    return 1 if dtype in ("f16", "bf16") else 4


def float_unary(topic, dtype, rng):
    x = float_values(dtype, rng)
    given = [(x, dtype)]
    for name, function in EXACT_UNARY.items():
        topic.case(name, dtype, given, [(exact(function, dtype, x), dtype)], signed_zero=True)
    topic.case("sign", dtype, given, [(np.sign(x), dtype)])
    for name in NEAR_UNARY:
        result = wide(getattr(np, name), dtype, x)
        topic.case(name, dtype, given, [(result, dtype)], ulp=near_ulp(dtype))
    small = x[~(np.abs(x) > limits(dtype)[0] / 4)]  # NumPy's pi * x overflows beyond.
    topic.case(
        "sinc", dtype, [(small, dtype)], [(wide(sinc, dtype, small), dtype)], ulp=near_ulp(dtype), atol=4 * EPS[dtype]
    )
    for name in TESTS:
        topic.case(name, dtype, given, [(getattr(np, name)(x), "bool")])
    fraction, whole = exact(np.modf, dtype, x)
    topic.case("modf", dtype, given, [(fraction, dtype), (whole, dtype)], signed_zero=True)
    finite = x[np.isfinite(x)]
    mantissa, power = exact(np.frexp, dtype, finite)
    topic.case("frexp", dtype, [(finite, dtype)], [(mantissa, dtype), (power, "i32")], signed_zero=True)


def float_binary(topic, dtype, rng):
    x, y = float_pairs(dtype, rng)
    given = [(x, dtype), (y, dtype)]
    for name, function in EXACT_BINARY.items():
        topic.case(name, dtype, given, [(exact(function, dtype, x, y), dtype)], signed_zero=True)
    for name, function in SELECTING.items():
        topic.case(name, dtype, given, [(function(x, y), dtype)])
    topic.case("fmod", dtype, given, [(exact(np.fmod, dtype, x, y), dtype)], signed_zero=True)
    for name, function in dict(remainder=np.remainder, rem_euclid=rem_euclid).items():
        topic.case(name, dtype, given, [(exact(function, dtype, x, y), dtype)], ulp=1)
    # A quotient near a whole number may land on either side of it, so the values are moderate here.
    moderate = (np.abs(x) < 100) & (np.abs(y) < 100) & (np.abs(y) > 0.1)
    few = [(x[moderate], dtype), (y[moderate], dtype)]
    for name, function in dict(floor_divide=np.floor_divide, div_euclid=div_euclid).items():
        topic.case(name, dtype, few, [(exact(function, dtype, x[moderate], y[moderate]), dtype)])
    for name in ("power", "arctan2", "hypot"):
        topic.case(name, dtype, given, [(wide(getattr(np, name), dtype, x, y), dtype)], ulp=near_ulp(dtype))
    for name in ("logaddexp", "logaddexp2"):
        result = wide(getattr(np, name), dtype, x, y)
        topic.case(name, dtype, given, [(result, dtype)], ulp=2 * near_ulp(dtype), atol=4 * EPS[dtype])
    topic.case("heaviside", dtype, given, [(np.heaviside(x, y), dtype)])
    for name in COMPARISONS:
        topic.case(name, dtype, given, [(getattr(np, name)(x, y), "bool")])
    if dtype != "bf16":  # NumPy has no bf16 whose neighbour it could name.
        # Of two equal arguments C gives the second; NumPy does so too, but for halves, where a zero keeps its sign.
        topic.case("nextafter", dtype, given, [(np.nextafter(x, y), dtype)], signed_zero=dtype != "f16")
    shifts = rng.integers(-40, 40, x.size).astype(np.int32)
    topic.case(
        "ldexp",
        dtype,
        [(x, dtype), (shifts, "i32")],
        [(np.ldexp(x.astype(np.float64), shifts), dtype)],
        signed_zero=True,
    )


def float_ternary(topic, dtype, rng):
    x, y = float_pairs(dtype, rng)
    low, high = rounded(-1.5, dtype), rounded(2.25, dtype)
    topic.case("clip", dtype, [(x, dtype), (low, dtype), (high, dtype)], [(np.clip(x, low, high), dtype)])
    moderate = (np.abs(x) < 100) & (np.abs(y) < 100)
    x, y = x[moderate], y[moderate]
    z = rng.permutation(y)
    result = [mul_add(*map(float, values)) for values in zip(x, y, z)]
    # The fused result; the tolerance admits a product that was rounded before the sum.
    product = float(np.abs(np.asarray(x, np.float64) * y).max())
    topic.case(
        "mul_add", dtype, [(x, dtype), (y, dtype), (z, dtype)], [(result, dtype)], ulp=1, atol=EPS[dtype] * product
    )


def int_values(dtype, rng):
    info = np.iinfo(NUMPY[dtype])
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 7, 10, info.max // 2, info.max // 3]
    signed = [-1, -2, -3, -7, -10] if info.min < 0 else [4, 6, 8, 9, 11]
    return np.array(edges + signed, NUMPY[dtype]), rng.integers(info.min, info.max, 24, NUMPY[dtype], endpoint=True)


def python_ints(function, x, y, dtype):
    """Element by element in unbounded integers, wrapped to the type; a zero divisor gives 0."""
    bits, signed = np.iinfo(NUMPY[dtype]).bits, np.iinfo(NUMPY[dtype]).min < 0

    def one(a, b):
        value = (0 if b == 0 else function(a, b)) % (1 << bits)
        return value - (1 << bits) if signed and value >> (bits - 1) else value

    return np.array([one(int(a), int(b)) for a, b in zip(x, y)], NUMPY[dtype])


def trunc_div(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def int_div_euclid(a, b):
    return (a - a % abs(b)) // b


INT_BINARY = (
    "add subtract multiply floor_divide remainder fmod maximum minimum bitwise_and bitwise_or bitwise_xor".split()
)
PYTHON_DIVISIONS = {"trunc_divide": trunc_div, "div_euclid": int_div_euclid, "rem_euclid": lambda a, b: a % abs(b)}


def ints(topic, dtype, rng):
    edges, random = int_values(dtype, rng)
    x = np.concatenate([edges, random])
    for name in ("negative", "abs", "sign", "square", "invert"):
        topic.case(name, dtype, [(x, dtype)], [(getattr(np, name)(x), dtype)])
    topic.case("bitwise_count", dtype, [(x, dtype)], [(np.bitwise_count(x), "u8")])
    a, b = (v.ravel() for v in np.meshgrid(edges, edges))
    a, b = np.concatenate([a, random]), np.concatenate([b, rng.permutation(random)])
    given = [(a, dtype), (b, dtype)]
    for name in INT_BINARY:
        topic.case(name, dtype, given, [(getattr(np, name)(a, b), dtype)])
    for name, function in PYTHON_DIVISIONS.items():
        topic.case(name, dtype, given, [(python_ints(function, a, b, dtype), dtype)])
    for name in COMPARISONS:
        topic.case(name, dtype, given, [(getattr(np, name)(a, b), "bool")])
    small = rng.integers(0, 9, a.size).astype(NUMPY[dtype])
    topic.case("power", dtype, [(a, dtype), (small, dtype)], [(np.power(a, small), dtype)])
    bits = np.iinfo(NUMPY[dtype]).bits
    for name, top in (("within", bits), ("beyond", 127)):  # From the width on, all bits have left: 0 or -1.
        amount = rng.integers(0, top, a.size).astype(NUMPY[dtype])
        for op in ("left_shift", "right_shift"):
            topic.case(
                op, dtype, [(a, dtype), (amount, dtype)], [(getattr(np, op)(a, amount), dtype)], dict(amounts=name)
            )
    a, b = (rng.integers(0 if dtype[0] == "u" else -100, 100, 60).astype(NUMPY[dtype]) for _ in range(2))
    for name in ("gcd", "lcm"):
        topic.case(name, dtype, [(a, dtype), (b, dtype)], [(getattr(np, name)(a, b), dtype)])
    low, high = NUMPY[dtype](3), NUMPY[dtype](40)
    topic.case("clip", dtype, [(x, dtype), (low, dtype), (high, dtype)], [(np.clip(x, low, high), dtype)])


def bools(topic):
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    for name in (
        "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor maximum minimum".split() + COMPARISONS
    ):
        topic.case(name, "bool", [(a, "bool"), (b, "bool")], [(getattr(np, name)(a, b), "bool")])
    for name in ("logical_not", "invert"):
        topic.case(name, "bool", [(a, "bool")], [(getattr(np, name)(a), "bool")])


def complexes(topic, dtype, rng):
    def plane(n, scale):
        z = rng.normal(0, scale, n) + 1j * rng.normal(0, scale, n)
        return rounded(z, dtype)

    axis = np.array([1, 2.5, 0.25, 1j, -1 + 1j, 3 - 4j, 0.5 + 0.5j, 1e-3 + 2e-3j])
    x, y = (rounded(np.concatenate([axis, plane(40, 1.0), plane(12, 4.0)]), dtype) for _ in range(2))
    given, part, near = [(x, dtype)], PART[dtype], dict(rtol=16 * EPS[dtype])
    for name in ("negative", "conjugate"):
        topic.case(name, dtype, given, [(getattr(np, name)(x), dtype)])
    for name in ("real", "imag"):
        topic.case(name, dtype, given, [(getattr(np, name)(x), part)])
    topic.case("abs", dtype, given, [(wide(np.abs, dtype, x), part)], ulp=4)
    topic.case("angle", dtype, given, [(np.arctan2(*(v.astype(np.longdouble) for v in (x.imag, x.real))), part)], ulp=4)
    for name in COMPLEX_NEAR:
        topic.case(name, dtype, given, [(wide(getattr(np, name), dtype, x), dtype)], **near)
    pair = [(x, dtype), (rng.permutation(y), dtype)]
    for name in ("add", "subtract", "multiply", "divide", "power"):
        result = wide(getattr(np, name), dtype, pair[0][0], pair[1][0])
        topic.case(name, dtype, pair, [(result, dtype)], rtol=(64 if name == "power" else 16) * EPS[dtype])
    nan, inf = np.nan, np.inf
    odd = np.array([complex(a, b) for a in (nan, inf, -inf, 1.0) for b in (nan, inf, -inf, 1.0)])
    for name in ("isnan", "isinf", "isfinite"):
        topic.case(name, dtype, [(odd, dtype)], [(getattr(np, name)(odd), "bool")])
    same = np.where(np.arange(x.size) % 3 == 0, x, pair[1][0])
    for name in ("equal", "not_equal"):
        topic.case(name, dtype, [(x, dtype), (same, dtype)], [(getattr(np, name)(x, same), "bool")])


def sample(dtype, rng):
    """A few values of any element type, for ops that only move them."""
    if dtype == "bool":
        return np.array([True, False] * 10)
    if dtype in INTS:
        return np.concatenate(int_values(dtype, rng))[:20]
    if dtype in COMPLEX:
        return rounded(rng.normal(0, 9, 20) + 1j * rng.normal(0, 9, 20), dtype)
    return rounded(
        np.concatenate([[np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -1.5, 2.5], rng.normal(0, 200, 12)]), dtype
    )


def to_int(x, dtype):
    """As Rust's `as`: towards zero, saturating, NaN to 0; from an integer it wraps."""
    info = np.iinfo(NUMPY[dtype])
    if x.dtype.kind in "biu":
        return x.astype(NUMPY[dtype])
    clamped = [0 if math.isnan(v) else int(min(max(v, info.min), info.max)) for v in map(float, x)]
    return np.array(clamped, NUMPY[dtype])


def casts(topic, rng):
    for source in ALL:
        x = sample(source, rng)
        for target in ALL:
            if source in COMPLEX and target not in COMPLEX:
                continue
            if target == "bool":
                result = x != 0
            elif target in INTS:
                result = to_int(x, target)
            else:
                result = x
            topic.case("cast", source, [(x, source)], [(result, target)], dict(to=target), signed_zero=True)


def selects(topic, rng):
    mask = rng.random(20) < 0.5
    for dtype in ALL:
        x = sample(dtype, rng)
        y = x[::-1]
        given = [(mask, "bool"), (x, dtype), (y, dtype)]
        topic.case("where", dtype, given, [(np.where(mask, x, y), dtype)], signed_zero=True)


def generate():
    topic, rng = Topic("ufuncs"), np.random.default_rng(2)
    bools(topic)
    for dtype in FLOATS:
        float_unary(topic, dtype, rng)
        float_binary(topic, dtype, rng)
        float_ternary(topic, dtype, rng)
    for dtype in INTS:
        ints(topic, dtype, rng)
    for dtype in COMPLEX:
        complexes(topic, dtype, rng)
    casts(topic, rng)
    selects(topic, rng)
    return topic
