"""Random expression programs: DAGs of elementwise ops, broadcasts, views, joins and reductions, with NumPy's results.

A program is `{id, dtype, file, inputs: [keys], nodes: [{op, args, params}], outputs: [values], expected: [keys], rtol,
atol}`. Values are numbered: the inputs first, then each node in turn; `args` and `outputs` are such numbers. Ops and
params are those of the cases, and a comparison's value is a bool array; `full` makes a 0-d array of `value`.
"""

import numpy as np

from .cases import Topic
from .movement import slicing

LARGEST = 4000  # Elements of one value.

UNARY = {
    "f64": ["sin", "cos", "tanh", "arctan", "abs", "negative", "floor", "expm1_of_tanh", "sqrt_of_abs", "square"],
    "i64": ["negative", "abs", "square", "sign", "invert"],
}
BINARY = {
    "f64": ["add", "subtract", "multiply", "maximum", "minimum", "hypot", "arctan2"],
    "i64": [
        "add",
        "subtract",
        "multiply",
        "maximum",
        "minimum",
        "bitwise_and",
        "bitwise_xor",
        "floor_divide",
        "remainder",
    ],
}
REDUCTIONS = {"f64": ["sum", "mean", "max", "min", "var"], "i64": ["sum", "max", "min"]}


def apply(op, args, params):
    """NumPy's evaluation of one node."""
    p = params
    if op == "full":
        return p["value"]
    if op == "slice":
        items = [None if s == "new" else s["index"] if "index" in s else slice(*s["range"]) for s in p["slices"]]
        return args[0][tuple(i for i in items)]
    if op == "pad":
        return np.pad(args[0], p["width"], p["mode"], **(dict(constant_values=p["value"]) if "value" in p else {}))
    if op == "concatenate":
        return np.concatenate(args, p["axis"])
    if op in ("sum", "mean", "max", "min", "var"):
        axes = None if p["axes"] is None else tuple(p["axes"])
        return getattr(np, op)(args[0], axis=axes, keepdims=p["keep"])
    if op == "reshape":
        return args[0].reshape(p["shape"])
    if op == "transpose":
        return args[0].transpose(p["axes"])
    if op == "flip":
        return np.flip(args[0], p["axes"])
    if op == "roll":
        return np.roll(args[0], p["shift"], p["axes"])
    if op == "broadcast_to":
        return np.broadcast_to(args[0], p["shape"])
    if op == "expand_dims":
        return np.expand_dims(args[0], p["axis"])
    return getattr(np, op)(*args)


class Builder:
    """One program: its values in f64 or i64, and beside them in long double, to see how far rounding carries."""

    def __init__(self, dtype, rng):
        self.dtype, self.rng, self.inputs, self.nodes, self.values, self.wide = dtype, rng, [], [], [], []
        shapes = [(4, 6), (6,), (4, 1), (3, 4, 6), (24,), (1, 6), ()]
        for k in rng.permutation(len(shapes))[: rng.integers(2, 5)]:
            self.input(shapes[k])

    def input(self, shape):
        if self.dtype == "i64":
            x = self.rng.integers(-50, 50, shape)
        else:
            x = self.rng.normal(0, 1.5, shape)
        x = np.asarray(x, np.int64 if self.dtype == "i64" else np.float64)
        self.inputs.append(x)
        self.values.append(x)
        self.wide.append(x if self.dtype == "i64" else x.astype(np.longdouble))

    def node(self, op, *args, **params):
        value = apply(op, [self.values[a] for a in args], params)
        kind = np.int64 if self.dtype == "i64" else np.float64
        wide = apply(op, [self.wide[a] for a in args], params)
        if op == "full":
            value, wide = np.array(value, kind), np.array(value, kind if self.dtype == "i64" else np.longdouble)
        self.nodes.append(dict(op=op, args=list(map(int, args)), params=params))
        self.values.append(np.asarray(value))
        self.wide.append(np.asarray(wide))
        return len(self.values) - 1

    def pick(self, want=lambda v: True):
        """A number of the wanted dtype, later ones more often."""
        own = [k for k, v in enumerate(self.values) if v.dtype != bool and want(v)]
        return own[-1 - min(int(self.rng.exponential(2.5)), len(own) - 1)] if own else None

    def partner(self, k):
        """A value whose shape broadcasts with that of `k`, and does not grow past the limit."""

        def fits(v):
            try:
                return np.prod(np.broadcast_shapes(v.shape, self.values[k].shape)) <= LARGEST
            except ValueError:
                return False

        return self.pick(fits)

    def elementwise(self):
        k = self.pick()
        op = self.rng.choice(UNARY[self.dtype] + 2 * BINARY[self.dtype] + 3 * ["where", "scalar"])
        if op == "expm1_of_tanh":
            self.node("expm1", self.node("tanh", k))
        elif op == "sqrt_of_abs":
            self.node("sqrt", self.node("abs", k))
        elif op == "scalar":
            value = int(self.rng.integers(-9, 9)) if self.dtype == "i64" else round(float(self.rng.normal(0, 1)), 3)
            self.node(str(self.rng.choice(["add", "multiply"])), k, self.node("full", value=value))
        elif op == "where":
            other = self.partner(k)
            test = self.node(str(self.rng.choice(["less", "greater_equal"])), k, other)
            self.node("where", test, k, self.partner(test))
        elif op in UNARY[self.dtype]:
            self.node(str(op), k)
        else:
            self.node(str(op), k, self.partner(k))

    def view(self):
        k = self.pick(lambda v: v.ndim > 0)
        if k is None:
            return self.elementwise()
        shape, rank, rng = self.values[k].shape, self.values[k].ndim, self.rng
        op = rng.choice(
            [
                "slice",
                "slice",
                "transpose",
                "reshape",
                "flip",
                "roll",
                "roll",
                "pad",
                "concatenate",
                "expand_dims",
                "broadcast_to",
            ]
        )
        axis = int(rng.integers(0, rank))
        if op == "slice":
            items = [(None, None, int(rng.choice([1, 1, -1, 2]))) for _ in shape]
            if shape[axis] > 2:
                items[axis] = (1, None, 1) if rng.random() < 0.5 else (None, -1, 1)
            self.node("slice", k, slices=slicing(items, shape)[1])
        elif op == "transpose":
            self.node("transpose", k, axes=[int(a) for a in rng.permutation(rank)])
        elif op == "reshape":
            self.node("reshape", k, shape=[-1] if rng.random() < 0.5 else [-1, shape[-1]])
        elif op == "flip":
            self.node("flip", k, axes=[axis])
        elif op == "roll":
            self.node("roll", k, shift=[int(rng.integers(-3, 4))], axes=[axis])
        elif op == "pad":
            mode = str(rng.choice(["constant", "edge", "wrap"]))
            width = [[1, 2] if a == axis else [0, 0] for a in range(rank)]
            self.node("pad", k, width=width, mode=mode, **(dict(value=1) if mode == "constant" else {}))
        elif op == "concatenate":
            self.node("concatenate", k, self.node("flip", k, axes=[axis]), axis=axis)
        elif op == "expand_dims" and rank < 4:
            self.node("expand_dims", k, axis=int(rng.integers(0, rank + 1)))
        elif rank < 4:
            self.node("broadcast_to", k, shape=[2, *shape])

    def reduction(self):
        k = self.pick(lambda v: v.ndim > 0)
        if k is None:
            return self.elementwise()
        rank = self.values[k].ndim
        axes = (
            None
            if self.rng.random() < 0.2
            else [int(a) for a in sorted(self.rng.permutation(rank)[: self.rng.integers(1, 3)])]
        )
        reduced = self.node(
            str(self.rng.choice(REDUCTIONS[self.dtype])), k, axes=axes, keep=bool(self.rng.random() < 0.6)
        )
        if self.nodes[-1]["params"]["keep"]:  # What it is for, mostly: back against what was reduced.
            self.node(str(self.rng.choice(["subtract", "maximum"])), k, reduced)

    def steps(self, count):
        for _ in range(count):
            draw = self.rng.random()
            self.elementwise() if draw < 0.5 else self.view() if draw < 0.8 else self.reduction()

    def outputs(self):
        """The last value, and up to three others that no node reads."""
        read = {a for node in self.nodes for a in node["args"]}
        last = len(self.values) - 1
        loose = [k for k in range(len(self.inputs), last) if k not in read and self.values[k].dtype != bool]
        return [last, *loose[:3]]

    def sound(self):
        """Small enough, and not at the mercy of rounding."""
        if any(v.size > LARGEST for v in self.values):
            return False
        if self.dtype == "i64":
            return True
        good = all(np.isfinite(v).all() and np.abs(v).max(initial=0) < 1e4 for v in self.values)
        return good and all(
            np.abs(v - w).max(initial=0) < 1e-11 for v, w in zip(self.values, self.wide) if v.dtype != bool
        )


def generate():
    topic, programs, rng = Topic("programs"), [], np.random.default_rng(6)
    for dtype, count in (("f64", 50), ("i64", 15)):
        made = 0
        while made < count:
            builder = Builder(dtype, rng)
            try:
                builder.steps(4 + made % 12)
            except ValueError:  # No partner broadcasts: draw again.
                continue
            outputs = builder.outputs()
            if not builder.sound() or builder.values[-1].dtype == bool:
                continue
            name = f"{dtype}_{made}"
            program = dict(id=f"programs/{name}", dtype=dtype, file=topic.file)
            program["inputs"] = [topic.array(f"{name}_i{k}", v, dtype) for k, v in enumerate(builder.inputs)]
            program["nodes"], program["outputs"] = builder.nodes, outputs
            program["expected"] = [topic.array(f"{name}_o{k}", builder.wide[v], dtype) for k, v in enumerate(outputs)]
            program |= dict(rtol=1e-9, atol=1e-9) if dtype == "f64" else {}
            programs.append(program)
            made += 1
    return topic, programs
