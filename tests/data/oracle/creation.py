"""Arrays made from nothing: ranges, meshes, identity-like matrices, edge cases included."""

import numpy as np

from .cases import EPS, NUMPY, Topic

ARANGES = [
    (0, 10, 1),
    (0, 10, 3),
    (10, 0, -1),
    (10, 0, -3),
    (5, 5, 1),
    (5, 0, 1),
    (0, 5, -1),
    (-7, 8, 5),
    (0, 1, 0.1),
    (0, 1, 0.3),
    (1, 0, -0.25),
    (0.5, 4.5, 1),
    (-1.5, 1.5, 0.5),
    (0, 100, 7.5),
    (1e6, 1e6 + 2, 0.5),
    (0, 1000, 1),
]
SPANS = [(0, 1), (1, 0), (-3, 3), (2, 2), (0.1, 0.7), (29, 31), (-1e-3, 1e5)]
NUMBERS = [0, 1, 2, 3, 5, 50]


def ranges(topic):
    for start, stop, step in ARANGES:
        kinds = ["f64", "f32"] + (["i64", "i32"] if all(v == int(v) for v in (start, stop, step)) else [])
        for dtype in kinds:
            result = np.arange(start, stop, step, dtype=NUMPY[dtype] if dtype[0] == "i" else np.float64)
            atol = 4 * EPS[dtype] * max(abs(start), abs(stop)) if dtype[0] == "f" else 0
            topic.case(
                "arange", dtype, [], [(result, dtype)], dict(start=start, stop=stop, step=step), ulp=1, atol=atol
            )
    for dtype in ("f64", "i64"):
        topic.case("arange", dtype, [], None, dict(start=0, stop=5, step=0))


def spaces(topic):
    for dtype in ("f64", "f32"):
        for start, stop in SPANS:
            for num in NUMBERS:
                for endpoint in (True, False):
                    params = dict(start=start, stop=stop, num=num, endpoint=endpoint)
                    result = np.linspace(start, stop, num, endpoint, dtype=np.longdouble)
                    topic.case(
                        "linspace",
                        dtype,
                        [],
                        [(result, dtype)],
                        params,
                        ulp=2,
                        atol=2 * EPS[dtype] * max(abs(start), abs(stop)),
                    )
        for start, stop, base in (
            (0, 3, 10.0),
            (-2, 2, 2.0),
            (1, -1, 10.0),
            (0, 0, 3.0),
            (0.5, 2.5, 2.718281828459045),
        ):
            for num in (0, 1, 4, 9):
                params = dict(start=start, stop=stop, num=num, endpoint=num != 4, base=base)
                result = np.logspace(start, stop, num, num != 4, np.longdouble(base), dtype=np.longdouble)
                topic.case("logspace", dtype, [], [(result, dtype)], params, rtol=16 * EPS[dtype])
        for start, stop in ((1, 1000), (1000, 1), (0.5, 0.5), (-1, -256), (2e-3, 7)):
            for num in (0, 1, 2, 4, 9):
                params = dict(start=start, stop=stop, num=num, endpoint=num != 4)
                result = np.geomspace(np.longdouble(start), np.longdouble(stop), num, num != 4)
                topic.case("geomspace", dtype, [], [(result, dtype)], params, rtol=16 * EPS[dtype])
        topic.case("geomspace", dtype, [], None, dict(start=0, stop=5, num=4, endpoint=True))


def matrices(topic):
    for dtype in ("f64", "i32", "bool", "c64"):
        for n, m, k in ((3, 3, 0), (3, 5, 1), (5, 3, -2), (4, 4, 9), (0, 3, 0), (1, 1, 0), (2, 0, 0)):
            for op in ("eye", "tri"):
                topic.case(op, dtype, [], [(getattr(np, op)(n, m, k), dtype)], dict(n=n, m=m, k=k))


def meshes(topic):
    for shape in ((3,), (2, 3), (2, 1, 3), (0, 2)):
        topic.case("indices", "i64", [], [(np.indices(shape), "i64")], dict(shape=shape, sparse=False))
        topic.case(
            "indices", "i64", [], [(i, "i64") for i in np.indices(shape, sparse=True)], dict(shape=shape, sparse=True)
        )
    for axes in ((3,), (3, 4), (2, 3, 4), (1, 3), (3, 0)):
        arrays = [np.linspace(k, k + 2, n) for k, n in enumerate(axes)]
        for indexing in ("xy", "ij"):
            for sparse in (False, True):
                result = np.meshgrid(*arrays, indexing=indexing, sparse=sparse)
                given, params = [(a, "f64") for a in arrays], dict(indexing=indexing, sparse=sparse)
                topic.case("meshgrid", "f64", given, [(r, "f64") for r in result], params)


def generate():
    topic = Topic("creation")
    ranges(topic)
    spaces(topic)
    matrices(topic)
    meshes(topic)
    return topic
