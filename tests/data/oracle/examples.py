"""The examples' reference outputs on small inputs, and the `.npy` inputs under examples/data."""

import numpy as np

from .cases import Topic

RATE, VOLATILITY = 0.02, 0.30


def normal_cdf(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267793994605993438 * np.exp(-0.5 * d * d) * poly
    return np.where(d > 0, 1 - tail, tail)


def black_scholes(s, x, t):
    root = np.sqrt(t)
    d1 = (np.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / (VOLATILITY * root)
    d2 = d1 - VOLATILITY * root
    c1, c2, discount = normal_cdf(d1), normal_cdf(d2), np.exp(-RATE * t)
    return s * c1 - x * discount * c2, x * discount * (1 - c2) - s * (1 - c1)


def great_circle(lat1, lon1, lat2=30.0, lon2=101.0):
    """Latitudes along x, longitudes along y."""
    lat1, lon1 = lat1[None, :], lon1[:, None]
    a = (
        np.sin(0.008726645 * (lat2 - lat1)) ** 2
        + np.cos(0.01745329 * lat1) * np.cos(0.01745329 * lat2) * np.sin(0.008726645 * (lon2 - lon1)) ** 2
    )
    return np.arctan2(a, 1 - a)


def inputs(rng, n):
    """The arrays of examples/data, by folder, for any size."""
    edges = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324]
    return {
        "prices": dict(s=rng.uniform(5, 30, n), x=rng.uniform(1, 100, n), t=rng.uniform(0.25, 10, n)),
        "waves": dict(x=np.linspace(0, 2 * np.pi, n), y=rng.uniform(-1, 1, n)),
        "factors": dict(x=rng.uniform(0.75, 1.25, n)),
        "table": dict(a=np.asfortranarray(rng.standard_normal((40, n // 40)).astype(np.float32))),
        "line": dict(x=np.concatenate([edges, rng.normal(0, 100, n - len(edges))])),
        "route": dict(lat=np.sort(rng.uniform(29, 31, 64)), lon=np.sort(rng.uniform(99, 101, 48))),
    }


def write_inputs(folder):
    for name, arrays in inputs(np.random.default_rng(7), 1000).items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for key, values in arrays.items():
            np.save(folder / name / f"{key}.npy", values)


def generate():
    """Evaluated in f64, but for f32's rows, which are f64's rounded."""
    topic, rng = Topic("examples"), np.random.default_rng(8)
    data = inputs(rng, 200)

    def f64(values):
        return [(v, "f64") for v in values]

    topic.case(
        "black_scholes",
        "f64",
        f64(data["prices"].values()),
        f64(black_scholes(**data["prices"])),
        rtol=1e-12,
        atol=1e-12,
    )
    route = data["route"]
    topic.case(
        "great_circle",
        "f64",
        f64(route.values()),
        f64([great_circle(route["lat"], route["lon"])]),
        rtol=1e-12,
        atol=1e-18,
    )
    for ny, nx in ((1, 1), (2, 3), (20, 30)):
        result = great_circle(np.linspace(29, 31, nx), np.linspace(99, 101, ny))
        topic.case("great_circle", "f64", [], f64([result]), dict(ny=ny, nx=nx), rtol=1e-12, atol=1e-18)
    for dtype, wide, ulp in (("f64", np.longdouble, 8), ("f32", np.float64, 8)):
        x, y = (v.astype("f8" if dtype == "f64" else "f4") for v in data["waves"].values())
        result = np.sin(x.astype(wide)) * np.exp(y.astype(wide))
        topic.case("sinexp", dtype, [(x, dtype), (y, dtype)], [(result, dtype)], ulp=ulp)
    a = data["table"]["a"]
    topic.case("row_sum", "f32", [(a, "f32")], [(a.astype("f8").sum(1), "f32")], rtol=1e-6, atol=1e-5)
    i = rng.integers(-1000, 1000, (7, 11)).astype(np.int32)
    topic.case("row_sum", "i32", [(i, "i32")], [(i.sum(1, dtype=np.int32), "i32")])
    deep = rng.standard_normal((3, 4, 5)).astype(np.float32)
    topic.case("row_sum", "f32", [(deep, "f32")], [(deep.astype("f8").sum(-1), "f32")], rtol=1e-6, atol=1e-6)
    x = data["factors"]["x"]
    topic.case("product", "f64", f64([x]), f64([x.astype(np.longdouble).prod()]), rtol=1e-13)
    line = data["line"]["x"]
    topic.case("scale", "f64", f64([line]), f64([2 * line]), signed_zero=True)
    return topic
