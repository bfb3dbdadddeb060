"""Ops that move elements: every result is exact, bit for bit.

A slice is a list with one item for each axis: `{"range": [start, stop, step]}` as NumPy reads it (null where the user
wrote nothing), with `"ndarray": [low, high, step]`, the same elements as ndarray's `Slice` takes them (0 <= low <=
high, a negative step starts at high - 1); `{"index": i}`; or `"new"` for a new axis.
"""

import numpy as np

from .cases import NUMPY, Topic

DTYPES = ["f64", "i32"]


def counting(shape, dtype):
    return (np.arange(int(np.prod(shape))) % 100 + 1).reshape(shape).astype(NUMPY[dtype])


def ndarray_range(bounds, length):
    """NumPy's bounds as ndarray's: a range low..high, walked from its end where the step is negative."""
    start, stop, step = slice(*bounds).indices(length)
    taken = range(start, stop, step)
    if not taken:
        return [0, 0, step]
    return [start, taken[-1] + 1, step] if step > 0 else [taken[-1], start + 1, step]


def slicing(items, shape):
    """A NumPy index and its description from items: a tuple is a range, an int an index, None a new axis."""
    index, described, axis = [], [], 0
    for item in items:
        if item is None:
            index.append(None)
            described.append("new")
            continue
        if isinstance(item, tuple):
            index.append(slice(*item))
            described.append(dict(range=list(item), ndarray=ndarray_range(item, shape[axis])))
        else:
            index.append(item)
            described.append(dict(index=item))
        axis += 1
    assert axis == len(shape)
    return tuple(index), described


SLICES = [
    ((4, 6), [(1, 3, 1), (0, 6, 2)]),
    ((4, 6), [(None, None, -1), (None, None, None)]),
    ((4, 6), [(None, None, -2), (5, 0, -2)]),
    ((4, 6), [(-3, -1, None), (-1, None, -3)]),
    ((4, 6), [2, (None, None, -1)]),
    ((4, 6), [(1, None, None), -1]),
    ((4, 6), [None, (0, 4, 3), None, (2, 5, None)]),
    ((4, 6), [(2, 2, None), (None, None, None)]),
    ((5,), [(4, None, -4)]),
    ((5,), [3]),
    ((2, 3, 4), [(None, None, -1), 1, (None, None, 2)]),
    ((2, 3, 4), [1, 2, 3]),
    ((100,), [(97, 2, -7)]),
]


def shapes(topic, dtype):
    x = counting((2, 3, 4), dtype)
    for shape in ((24,), (4, 6), (3, -1), (2, 3, 4), (1, 24, 1), (2, 2, 2, 3), (-1,)):
        topic.case("reshape", dtype, [(x, dtype)], [(x.reshape(shape), dtype)], dict(shape=shape))
    y = x.transpose(2, 0, 1)
    for shape in ((24,), (8, 3), (4, 6)):  # Strides that no view can follow.
        given = dict(axes=[2, 0, 1], shape=shape)
        topic.case("transpose_reshape", dtype, [(x, dtype)], [(y.reshape(shape), dtype)], given)
    topic.case("reshape", dtype, [(x, dtype)], None, dict(shape=(5, 5)))
    topic.case("reshape", dtype, [(x, dtype)], None, dict(shape=(-1, 7)))
    for shape, to in (((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((0, 3), (0,))):
        z = counting(shape, dtype)
        topic.case("reshape", dtype, [(z, dtype)], [(z.reshape(to), dtype)], dict(shape=to))
    for axes in ([0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1], [-1, 0, 1]):
        topic.case("transpose", dtype, [(x, dtype)], [(x.transpose(axes), dtype)], dict(axes=axes))
    topic.case("transpose", dtype, [(x, dtype)], [(x.T, dtype)], dict(axes=None))
    topic.case("transpose", dtype, [(x, dtype)], None, dict(axes=[0, 0, 1]))
    topic.case("swapaxes", dtype, [(x, dtype)], [(x.swapaxes(0, -1), dtype)], dict(axis1=0, axis2=-1))
    for source, target in ((0, 2), (-1, 0), (1, -1)):
        result = np.moveaxis(x, source, target)
        topic.case("moveaxis", dtype, [(x, dtype)], [(result, dtype)], dict(source=source, destination=target))
    for axis in (0, 1, 3, -1, -4):
        topic.case("expand_dims", dtype, [(x, dtype)], [(np.expand_dims(x, axis), dtype)], dict(axis=axis))
    thin = counting((1, 3, 1, 2), dtype)
    for axis in (0, 2, -2):
        topic.case("squeeze", dtype, [(thin, dtype)], [(thin.squeeze(axis), dtype)], dict(axis=axis))
    topic.case("squeeze", dtype, [(thin, dtype)], [(thin.squeeze(), dtype)], dict(axis=None))
    topic.case("squeeze", dtype, [(thin, dtype)], None, dict(axis=1))


def views(topic, dtype):
    for shape, items in SLICES:
        x = counting(shape, dtype)
        index, described = slicing(items, shape)
        topic.case("slice", dtype, [(x, dtype)], [(x[index], dtype)], dict(slices=described))
    x = counting((3, 4), dtype)
    for index in (3, -4):
        topic.case("slice", dtype, [(x, dtype)], None, dict(slices=[dict(index=index), dict(index=0)]))
    for shape, to in (
        ((3, 1), (3, 4)),
        ((4,), (2, 3, 4)),
        ((), (2, 2)),
        ((1, 1), (5, 1)),
        ((0,), (3, 0)),
        ((3, 4), (3, 4)),
    ):
        z = counting(shape, dtype)
        topic.case("broadcast_to", dtype, [(z, dtype)], [(np.broadcast_to(z, to), dtype)], dict(shape=to))
    topic.case("broadcast_to", dtype, [(x, dtype)], None, dict(shape=(4, 3)))
    x = counting((2, 3, 4), dtype)
    for axes in (None, [0], [-1], [0, 2], [0, 1, 2]):
        topic.case("flip", dtype, [(x, dtype)], [(np.flip(x, axes), dtype)], dict(axes=axes))
    for shift, axes in (
        ([1], [0]),
        ([-1], [-1]),
        ([5], [2]),
        ([-7], [1]),
        ([1, -2], [0, 2]),
        ([0], [1]),
        ([5], None),
        ([-29], None),
    ):
        result = np.roll(x, shift[0] if axes is None else shift, axes)
        topic.case("roll", dtype, [(x, dtype)], [(result, dtype)], dict(shift=shift, axes=axes))
    square = counting((4, 6), dtype)
    for offset in (0, 2, -3, 5, 6, -4):
        given = dict(offset=offset, axis1=0, axis2=1)
        topic.case("diagonal", dtype, [(square, dtype)], [(square.diagonal(offset), dtype)], given)
    for axis1, axis2, offset in ((0, 2, 0), (2, 1, 1), (-1, 0, -1)):
        given = dict(offset=offset, axis1=axis1, axis2=axis2)
        topic.case("diagonal", dtype, [(x, dtype)], [(x.diagonal(offset, axis1, axis2), dtype)], given)
    slide = np.lib.stride_tricks.sliding_window_view
    for z, window, axes in (
        (counting((7,), dtype), [3], [0]),
        (square, [2, 3], [0, 1]),
        (square, [4], [1]),
        (x, [2], [-2]),
        (square, [4, 6], [0, 1]),
    ):
        result = slide(z, window, axes)
        topic.case("sliding_window_view", dtype, [(z, dtype)], [(result, dtype)], dict(window=window, axes=axes))
    topic.case("sliding_window_view", dtype, [(square, dtype)], None, dict(window=[5], axes=[0]))


def joins(topic, dtype):
    a, b, c = counting((2, 3), dtype), counting((2, 1), dtype) + 50, counting((4, 3), dtype) * 2
    a, b, c = (v.astype(NUMPY[dtype]) for v in (a, b, c))
    for parts, axis in (((a, b), 1), ((a, b, a), -1), ((a, c), 0), ((a,), 0), ((a[:0], a), 0)):
        given = [(p, dtype) for p in parts]
        topic.case("concatenate", dtype, given, [(np.concatenate(parts, axis), dtype)], dict(axis=axis))
    topic.case("concatenate", dtype, [(a, dtype), (c, dtype)], None, dict(axis=1))
    for axis in (0, 1, 2, -1, -3):
        topic.case(
            "stack", dtype, [(a, dtype), (a[::-1], dtype)], [(np.stack([a, a[::-1]], axis), dtype)], dict(axis=axis)
        )
    topic.case("stack", dtype, [(a, dtype), (c, dtype)], None, dict(axis=0))
    x = counting((6, 4), dtype)
    for indices, axis in (([2, 4], 0), ([1], 1), ([0, 6], 0), ([1, 3], -1), ([2, 2, 5], 0)):
        parts = np.split(x, indices, axis)
        topic.case("split", dtype, [(x, dtype)], [(p, dtype) for p in parts], dict(indices=indices, axis=axis))
    for reps in ([2], [2, 3], [1, 2], [2, 1, 2], [0, 1]):
        topic.case("tile", dtype, [(a, dtype)], [(np.tile(a, reps), dtype)], dict(reps=reps))
    for counts, axis in (([2], 0), ([3], -1), ([1, 0, 2], 1), ([0, 3], 0), ([2], None)):
        result = np.repeat(a, counts, axis)
        topic.case("repeat", dtype, [(a, dtype)], [(result, dtype)], dict(counts=counts, axis=axis))
    for mode in ("constant", "edge", "reflect", "wrap"):
        for z, width in (
            (a, [[1, 2], [2, 1]]),
            (a, [[0, 0], [1, 1]]),
            (counting((4,), dtype), [[3, 2]]),
            (counting((3,), dtype), [[7, 8]]),
        ):
            more = dict(constant_values=9) if mode == "constant" else {}
            result, params = np.pad(z, width, mode, **more), dict(width=width, mode=mode)
            params |= dict(value=9) if more else {}
            topic.case("pad", dtype, [(z, dtype)], [(result, dtype)], params)


def gathers(topic, dtype, rng):
    x = counting((4, 5), dtype)
    for index, axis in (([0, 2, 2, 3], 0), ([-1, 0, -4], 0), ([[4, 0], [1, -5]], 1), ([3], -1), ([], 0)):
        i = np.array(index, np.int64)
        topic.case("take", dtype, [(x, dtype), (i, "i64")], [(np.take(x, i, axis), dtype)], dict(axis=axis))
    flat = np.array([0, 19, -1, 7], np.int64)
    topic.case("take", dtype, [(x, dtype), (flat, "i64")], [(np.take(x, flat), dtype)], dict(axis=None))
    topic.case("take", dtype, [(x, dtype), (np.array([4], np.int64), "i64")], None, dict(axis=0))
    for axis, shape in ((0, (3, 5)), (1, (4, 2)), (-1, (4, 7))):
        i = rng.integers(-x.shape[axis], x.shape[axis], shape)
        topic.case(
            "take_along_axis",
            dtype,
            [(x, dtype), (i, "i64")],
            [(np.take_along_axis(x, i, axis), dtype)],
            dict(axis=axis),
        )


def assigns(topic, dtype, rng):
    for shape, items in SLICES:
        if None in items:
            continue
        x = counting(shape, dtype)
        index, described = slicing(items, shape)
        fill = (counting(x[index].shape, dtype) + 100).astype(NUMPY[dtype])
        for values in (fill, np.array(7, NUMPY[dtype])):
            result = x.copy()
            result[index] = values
            topic.case("slice_assign", dtype, [(x, dtype), (values, dtype)], [(result, dtype)], dict(slices=described))
    # The right side reads what the left side writes: as if the right side had been stored first.
    x = counting((8,), dtype)
    for target, source in (
        ((1, 8, 1), (0, 7, 1)),
        ((0, 7, 1), (1, 8, 1)),
        ((None, None, None), (None, None, -1)),
        ((0, 4, 1), (6, 2, -1)),
    ):
        result = x.copy()
        result[slice(*target)] = x[slice(*source)]
        params = dict(target=slicing([target], x.shape)[1], source=slicing([source], x.shape)[1])
        topic.case("slice_assign_from_self", dtype, [(x, dtype)], [(result, dtype)], params)
    x, mask = counting((4, 5), dtype), rng.random((4, 5)) < 0.4
    row = rng.random(5) < 0.5
    for m in (mask, row, np.zeros((4, 5), bool), np.ones((4, 1), bool)):
        for values in (np.array(77, NUMPY[dtype]), (x[::-1] + 100).astype(NUMPY[dtype]), x[:1]):
            result = x.copy()
            np.copyto(result, values, where=m)
            topic.case("mask_assign", dtype, [(x, dtype), (m, "bool"), (values, dtype)], [(result, dtype)])


def generate():
    topic, rng = Topic("movement"), np.random.default_rng(5)
    for dtype in DTYPES:
        shapes(topic, dtype)
        views(topic, dtype)
        joins(topic, dtype)
        gathers(topic, dtype, rng)
        assigns(topic, dtype, rng)
    for dtype in ("u8", "c64"):
        views(topic, dtype)
    return topic
