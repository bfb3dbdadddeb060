#!/usr/bin/env python3
"""Writes ndimage.npz: what scipy.ndimage makes of small arrays.

An array stands under the name of what it is; its key ends in the element type, as README.md beside this folder says.
Results of several borders, orders or the like are stacked along a first axis. `tests/it/ndimage` has the same calls
under the same names.
"""

import pathlib

import numpy as np
from scipy import ndimage as nd

NAMES = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "float32": "f32", "float64": "f64", "complex128": "c128"}
ARRAYS, rng = {}, np.random.default_rng(20251125)
MODES = ("reflect", "nearest", "mirror", "constant", "wrap")
CVAL = 2.5


def put(name, value):
    value = np.array(value, order="C")
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def modes(name, call):
    """The results of all borders, stacked."""
    put(name, np.stack([call(dict(mode=mode, cval=CVAL)) for mode in MODES]))


def inputs():
    shapes = {"line": (9,), "image": (5, 7), "volume": (3, 4, 2), "flat": (1, 5), "small": (2, 3)}
    all = {name: put(name, np.round(rng.normal(size=shape) * 4, 3)) for name, shape in shapes.items()}
    all["image32"] = put("image", all["image"].astype(np.float32))
    all["imagei32"] = put("image", rng.integers(-50, 50, (5, 7)).astype(np.int32))
    all["imageu8"] = put("image", rng.integers(0, 200, (5, 7)).astype(np.uint8))
    all["imagei16"] = put("image", rng.integers(-200, 200, (5, 7)).astype(np.int16))
    return all


def linear(name, a):
    rank = a.ndim
    w3 = put(f"{name}_w3", np.round(rng.normal(size=(3,) * rank) * 4) / 4) if f"{name}_w3.f64" not in ARRAYS else ARRAYS[f"{name}_w3.f64"]
    w24 = put(f"{name}_w24", np.round(rng.normal(size=(2, 4, 3)[:rank]) * 4) / 4) if f"{name}_w24.f64" not in ARRAYS else ARRAYS[f"{name}_w24.f64"]
    modes(f"{name}_correlate", lambda m: nd.correlate(a, w3, **m))
    modes(f"{name}_convolve", lambda m: nd.convolve(a, w3, **m))
    origin = (-1, 1, 0)[:rank]
    modes(f"{name}_correlate_even", lambda m: nd.correlate(a, w24, origin=origin, **m))
    modes(f"{name}_convolve_even", lambda m: nd.convolve(a, w24, origin=(0, 1, 0)[:rank], **m))
    modes(f"{name}_correlate1d", lambda m: nd.correlate1d(a, [0.5, -1.25, 2.0, 0.25], axis=0, origin=1, **m))
    modes(f"{name}_convolve1d", lambda m: nd.convolve1d(a, [0.5, -1.25, 2.0, 0.25], axis=-1, origin=-1, **m))
    modes(f"{name}_gaussian", lambda m: nd.gaussian_filter(a, 0.8, **m))
    modes(f"{name}_gaussian_orders", lambda m: nd.gaussian_filter(a, (0.7, 1.1, 0.5)[:rank], order=(1, 2, 0)[:rank], truncate=3, **m))
    modes(f"{name}_gaussian1d", lambda m: nd.gaussian_filter1d(a, 1.3, axis=0, order=3, **m))
    modes(f"{name}_gaussian_wide", lambda m: nd.gaussian_filter1d(a, 6.0, axis=-1, **m))
    modes(f"{name}_uniform", lambda m: nd.uniform_filter(a, (3, 4, 2)[:rank], origin=(1, -1, 0)[:rank], **m))
    modes(f"{name}_uniform_long", lambda m: nd.uniform_filter1d(a, 40, axis=-1, **m))
    modes(f"{name}_sobel", lambda m: nd.sobel(a, axis=0, **m))
    modes(f"{name}_prewitt", lambda m: nd.prewitt(a, **m))
    modes(f"{name}_laplace", lambda m: nd.laplace(a, **m))
    modes(f"{name}_gaussian_laplace", lambda m: nd.gaussian_laplace(a, 0.9, **m))
    modes(f"{name}_gaussian_gradient", lambda m: nd.gaussian_gradient_magnitude(a, 0.9, **m))


FOOTPRINTS = {1: [1, 0, 1, 1], 2: [[1, 0, 1], [0, 1, 1]], 3: [[[1, 0], [1, 1]], [[0, 1], [1, 1]]]}


def ranks(name, a):
    rank = a.ndim
    foot = np.array(FOOTPRINTS[rank], bool)

    def by_footprint(call, *args, **how):
        """SciPy 1.17 takes footprints of one axis for whole windows: they get a second axis."""
        return call(a, *args, footprint=foot, **how) if rank > 1 else call(a[None], *args, footprint=foot[None], **how)[0]

    size = (3, 4, 2)[:rank]
    large = (8, 7, 2)[:rank]
    modes(f"{name}_minimum", lambda m: nd.minimum_filter(a, size, origin=(1, -2, 0)[:rank], **m))
    modes(f"{name}_maximum", lambda m: nd.maximum_filter(a, large, **m))
    modes(f"{name}_minimum_footprint", lambda m: nd.minimum_filter(a, footprint=foot, origin=-1, **m))
    modes(f"{name}_maximum_footprint", lambda m: nd.maximum_filter(a, footprint=foot, **m))
    modes(f"{name}_median", lambda m: nd.median_filter(a, 3 if rank < 3 else (3, 3, 1), **m))
    modes(f"{name}_median_footprint", lambda m: by_footprint(nd.median_filter, **m))
    modes(f"{name}_median_large", lambda m: nd.median_filter(a, (9, 5, 3)[:rank] if rank > 1 else 27, **m))
    modes(f"{name}_rank", lambda m: nd.rank_filter(a, -2, size=size, **m))
    modes(f"{name}_rank_large", lambda m: nd.rank_filter(a, 3, size=large if rank > 1 else 29, origin=-1, **m))
    modes(f"{name}_percentile", lambda m: nd.percentile_filter(a, 30, size=size, **m))
    modes(f"{name}_percentile_negative", lambda m: by_footprint(nd.percentile_filter, -15, **m))


def grey(name, a):
    rank = a.ndim
    foot = np.array(FOOTPRINTS[rank], bool)
    heights = np.round(np.linspace(-2, 3, foot.size)).reshape(foot.shape)
    put(f"{name}_heights", heights.astype(np.float64)) if a.dtype == np.float64 else None
    for op in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing"):
        call = getattr(nd, op)
        modes(f"{name}_{op}", lambda m: call(a, size=(3, 4, 2)[:rank], **m))
        modes(f"{name}_{op}_footprint", lambda m: call(a, footprint=foot, origin=-1, **m))
        modes(f"{name}_{op}_heights", lambda m: call(a, structure=heights, **m))
    modes(f"{name}_morphological_gradient", lambda m: nd.morphological_gradient(a, size=3, **m))
    modes(f"{name}_morphological_laplace", lambda m: nd.morphological_laplace(a, size=3, **m))
    modes(f"{name}_white_tophat", lambda m: nd.white_tophat(a, size=3, **m))
    modes(f"{name}_black_tophat", lambda m: nd.black_tophat(a, size=3, **m))


def filters():
    all = inputs()
    for name in ("line", "image", "volume", "flat", "small"):
        linear(name, all[name])
        ranks(name, all[name])
    for name in ("image32", "imagei32", "imageu8", "imagei16"):
        linear("image", all[name])
        ranks("image", all[name])
    for name in ("line", "image"):
        grey(name, all[name])
    grey("image", all["imageu8"])
    z = put("complex", np.round(rng.normal(size=(4, 5)) + 1j * rng.normal(size=(4, 5)), 2))
    modes("complex_gaussian", lambda m: nd.gaussian_filter(z, 0.8, **m))
    modes("complex_correlate", lambda m: nd.correlate(z, ARRAYS["image_w3.f64"], **m))
    odd = put("odd", np.array([1.0, np.nan, 2, 3, 4, 5, 6, 7, np.inf, 9, 10, 11, 12, -np.inf, 0, 1, 2]))
    modes("odd_correlate1d", lambda m: nd.correlate1d(odd, [1.0, 0.0, -2.0], **m))
    modes("odd_correlate", lambda m: nd.correlate(odd, np.array([1.0, 0.0, -2.0]), **m))
    modes("odd_gaussian", lambda m: nd.gaussian_filter(odd, 0.3, **m))
    mixed = all["image"]
    put("mixed_gaussian", nd.gaussian_filter(mixed, 1.0, mode=("wrap", "mirror")))
    put("mixed_radius", nd.gaussian_filter(mixed, 1.0, radius=(1, 3)))


def binary():
    a = put("mask", rng.random((7, 9)) < 0.6)
    mask = put("allowed", rng.random((7, 9)) < 0.7)
    cross, full = nd.generate_binary_structure(2, 1), nd.generate_binary_structure(2, 2)
    odd = put("odd_structure", np.array([[1, 0, 1], [0, 1, 0]], bool))
    large = put("large_structure", rng.random((7, 6)) < 0.6)
    for name in ("erosion", "dilation", "opening", "closing"):
        call = getattr(nd, f"binary_{name}")
        put(f"{name}_cross", call(a, cross))
        put(f"{name}_full", call(a, full))
        put(f"{name}_odd", call(a, odd, origin=(0, -1)))
        put(f"{name}_large", call(a, large))
        put(f"{name}_masked", call(a, cross, iterations=2, mask=mask))
    put("erosion_beyond", nd.binary_erosion(a, cross, border_value=1))
    put("dilation_beyond", nd.binary_dilation(a, odd, border_value=1))
    put("closing_beyond", nd.binary_closing(a, cross, border_value=1))
    put("erosion_thrice", nd.binary_erosion(nd.binary_dilation(a, full), cross, iterations=3, border_value=1))
    put("hit", nd.binary_hit_or_miss(a, cross))
    put("hit_both", nd.binary_hit_or_miss(a, odd, np.array([[0, 1, 0]], bool), origin1=(0, 1)))
    seeds = put("seeds", rng.random((7, 9)) < 0.05)
    put("propagation", nd.binary_propagation(seeds, cross, mask=mask))
    put("propagation_full", nd.binary_propagation(seeds, full, mask=mask, border_value=1))
    put("propagation_free", nd.binary_propagation(seeds, np.array([[0, 1, 1]], bool)))
    put("propagation_odd", nd.binary_propagation(seeds, np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool), mask=mask))
    rings = np.zeros((9, 12), bool)
    rings[1:8, 1:6], rings[2:7, 2:5], rings[4, 3], rings[2:5, 7:11], rings[3, 8:10], rings[3, 11] = 1, 0, 1, 1, 0, 1
    put("rings", rings)
    put("filled", nd.binary_fill_holes(rings))
    put("filled_full", nd.binary_fill_holes(rings, full))
    cube = put("cube", rng.random((4, 5, 6)) < 0.7)
    put("cube_erosion", nd.binary_erosion(cube))
    put("cube_filled", nd.binary_fill_holes(cube))


ORDERS = range(6)
PLACES = ("reflect", "nearest", "mirror", "constant", "wrap", "grid-constant", "grid-wrap")


def coefficients(a, order, axes=None):
    """A spline's coefficients with reflected edges, for which spline_filter's are right to a few digits only."""
    around = [(60, 60) if axes is None or k in axes else (0, 0) for k in range(a.ndim)]
    inner = tuple(slice(low, low + n) for (low, _), n in zip(around, a.shape))
    c = np.pad(a.astype(np.float64), around, mode="symmetric")
    for axis in range(a.ndim) if axes is None else axes:
        c = nd.spline_filter1d(c, order, axis, mode="mirror")
    return c[inner]


def geometry():
    image, line, volume = (ARRAYS[f"{name}.f64"] for name in ("image", "line", "volume"))
    whole = ARRAYS["image.u8"]
    at = put("at", np.round(np.stack([rng.uniform(-9, 14, 40), rng.uniform(-12, 19, 40)]), 3))
    at[:, :9] = [[0, 4, 4, 0, -1, 5, 2.5, -0.5, 4.5], [0, 6, 0, 6, 2, 7, 3.5, -0.5, 6.5]]
    ARRAYS["at.f64"] = at
    at1 = put("at1", np.round(rng.uniform(-20, 30, (1, 24)), 3))
    at3 = put("at3", np.round(np.stack([rng.uniform(-2, n + 1, 20) for n in volume.shape]), 3))

    def one(call, a, how, by_places):
        if how["mode"] == "reflect" and how["order"] > 1 and how.get("prefilter", True):
            return call(coefficients(a, how["order"]), dict(how, prefilter=False, output=a.dtype))
        if how["mode"] == "nearest" and how["order"] > 1 and how.get("prefilter", True) and by_places:
            c = coefficients(np.pad(a, 12, mode="edge"), how["order"])
            return call(c, dict(how, prefilter=False, output=a.dtype), 12)
        return call(a, how)

    def every(name, a, call, **more):
        """The results of all orders and borders."""
        results = [[one(call, a, dict(order=o, mode=m, cval=CVAL, **more), name.startswith("map_")) for m in PLACES] for o in ORDERS]
        put(name, np.stack([np.stack(borders) for borders in results]))

    every("map_image", image, lambda a, k, by=0: nd.map_coordinates(a, at + by, **k))
    every("map_unfiltered", image, lambda a, k, by=0: nd.map_coordinates(a, at + by, **k), prefilter=False)
    every("map_line", line, lambda a, k, by=0: nd.map_coordinates(a, at1 + by, **k))
    every("map_volume", volume, lambda a, k, by=0: nd.map_coordinates(a, at3 + by, **k))
    every("map_flat", ARRAYS["flat.f64"], lambda a, k, by=0: nd.map_coordinates(a, at[:, :12] + by, **k))
    every("map_whole", whole, lambda a, k, by=0: nd.map_coordinates(a, at + by, **k))
    every("map_f32", image.astype(np.float32), lambda a, k, by=0: nd.map_coordinates(a, at + by, **k))
    every("shift", line, lambda a, k: nd.shift(a, 1.3, **k))
    every("zoom", image, lambda a, k: nd.zoom(a, (1.6, 0.7), **k))
    every("zoom_grid", line, lambda a, k: nd.zoom(a, 1.7, grid_mode=True, **k))
    matrix = put("matrix", np.array([[0.8, -0.3], [0.4, 1.1]]))
    every("affine", image, lambda a, k: nd.affine_transform(a, matrix, offset=(0.3, -1.2), output_shape=(4, 6), **k))
    put("affine_diagonal", nd.affine_transform(image, [0.5, 1.5], offset=(1, 0.25)))
    put("affine_homogeneous", nd.affine_transform(image, np.array([[0.5, 0.1, 1], [0, 2, -1], [0, 0, 1]])))
    put("affine_lower", nd.affine_transform(volume, np.array([[0.5, 0], [1, 0.2], [0.1, 0.3]]), offset=0.2, output_shape=(3, 5), order=1))
    for angle in (30, 90, -125.5, 180):
        put(f"rotate_{angle}", nd.rotate(image, angle, order=3, mode="mirror"))
        put(f"rotate_kept_{angle}", nd.rotate(image, angle, reshape=False, order=1))
    put("rotate_volume", nd.rotate(volume, 25, axes=(2, 0), order=3, mode="nearest"))
    put("spline", np.stack([nd.spline_filter(image, o, mode="mirror") for o in range(2, 6)]))
    put("spline1d", np.stack([c for o in range(2, 6) for c in
                              (coefficients(image, o, (0,)), nd.spline_filter1d(image, o, axis=0, mode="grid-wrap"))]))
    odd = put("odd_at", np.array([[np.nan, np.inf, -np.inf, 1e18, 1.0]]))
    put("odd_map", nd.map_coordinates(line, odd, order=1, cval=-7.0))
    z = ARRAYS["complex.c128"]
    put("map_complex", nd.map_coordinates(z, at[:, :10] / 2, order=3, mode="mirror"))
    put("zoom_whole", nd.zoom(ARRAYS["image.i32"], 2, order=3, mode="nearest"))


def labels():
    for k, density in enumerate((0.3, 0.5, 0.65)):
        a = put(f"noise{k}", rng.random((19, 23)) < density)
        for connectivity in (1, 2):
            found, count = nd.label(a, nd.generate_binary_structure(2, connectivity))
            put(f"label{k}_{connectivity}", found.astype(np.int32))
            put(f"count{k}_{connectivity}", np.int64(count))
    diagonal = put("diagonal", np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], bool))
    put("label_diagonal", nd.label(ARRAYS["noise1.bool"], diagonal)[0].astype(np.int32))
    cube = ARRAYS["cube.bool"]
    put("label_cube", nd.label(cube[::2])[0].astype(np.int32))
    put("label_line", nd.label(ARRAYS["noise0.bool"][0])[0].astype(np.int32))
    four = put("four", rng.random((3, 4, 2, 5)) < 0.4)
    put("label_four", nd.label(four)[0].astype(np.int32))
    found = put("regions", nd.label(ARRAYS["noise1.bool"])[0].astype(np.int32))
    values = put("values", np.round(rng.normal(size=found.shape), 3))
    index = put("index", np.array([5, 1, 2, 2, 900, 0, 7, -3], np.int64))
    present = put("present", np.array([3, 1, 5, 2], np.int64))
    count = int(found.max())
    for name in ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum"):
        call = getattr(nd, name)
        put(f"{name}_all", np.asarray(call(values, found, np.arange(1, count + 1))))
        put(f"{name}_index", np.asarray(call(values, found, index)))
    put("minimum_position", np.array(nd.minimum_position(values, found, present), np.int64))
    put("maximum_position", np.array(nd.maximum_position(values, found, present), np.int64))
    weights = put("weights", np.abs(values) + 0.1)
    put("center_of_mass", np.array(nd.center_of_mass(weights, found, present)))
    few = put("few", np.where(found % 5 == 0, found // 5, 0).astype(np.int32))
    put("boxes", np.array([[-1] * 4 if b is None else [b[0].start, b[0].stop, b[1].start, b[1].stop]
                           for b in nd.find_objects(few)], np.int64))


def labelled():
    found, values, index = ARRAYS["regions.i32"], ARRAYS["values.f64"], ARRAYS["index.i64"]
    count = int(found.max())
    put("median_all", np.array(nd.median(values, found, np.arange(1, count + 1))))
    put("histogram", np.array(nd.histogram(values, -1.0, 1.5, 5, found, np.arange(1, count + 1)).tolist(), np.int64))
    spread = nd.labeled_comprehension(values, found, index, lambda v: v.max() - v.min(), float, -1.0)
    put("comprehension", spread)


def spectra():
    own = np.random.default_rng(77)
    for shape in ((9,), (8, 6), (4, 5, 6)):
        rank = len(shape)
        a = put(f"spectrum{rank}", np.round(own.normal(size=shape) + 1j * own.normal(size=shape), 3))
        sizes = (3.0, 2.0, 1.5)[:rank]
        for name in ("gaussian", "uniform", "shift", "ellipsoid"):
            put(f"fourier_{name}{rank}", getattr(nd, f"fourier_{name}")(a, sizes))
            # Of a real transform along the first axis.
            put(f"fourier_{name}_real{rank}", getattr(nd, f"fourier_{name}")(a, 1.25, 2 * shape[0] - 1, 0))


def generic():
    image = ARRAYS["image.f64"]

    def line(given, gives):
        for k in range(gives.size):
            gives[k] = given[k:k + 4].max() - given[k]

    for axis in (0, 1):
        modes(f"generic1d_{axis}", lambda m: nd.generic_filter1d(image, line, 4, axis=axis, origin=1, **m))
    second = lambda a, axis, output, mode, cval: nd.correlate1d(a, [1, -3, 2], axis, output, mode, cval)
    modes("generic_laplace", lambda m: nd.generic_laplace(image, second, **m))
    modes("generic_gradient", lambda m: nd.generic_gradient_magnitude(image, nd.sobel, **m))


def distances():
    for k, a in enumerate((ARRAYS["noise2.bool"], rng.random((13, 40)) < 0.97, ARRAYS["cube.bool"], rng.random(50) < 0.8)):
        put(f"far{k}", a)
        put(f"edt{k}", nd.distance_transform_edt(a))
        put(f"edt_sampled{k}", nd.distance_transform_edt(a, sampling=(0.5, 2.0, 1.25)[:a.ndim]))
        put(f"chessboard{k}", nd.distance_transform_cdt(a, "chessboard"))
        put(f"taxicab{k}", nd.distance_transform_cdt(a, "taxicab"))


def main():
    filters()
    binary()
    geometry()
    labels()
    distances()
    labelled()
    spectra()
    generic()
    path = pathlib.Path(__file__).with_name("ndimage.npz")
    np.savez_compressed(path, **ARRAYS)
    print(len(ARRAYS), "arrays,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
