"""Writes random functions of the language of device code: src/user/tests/random.rs.

    python3 tests/data/generate_functions.py > src/user/tests/random.rs

Each function takes and gives numbers of random types and computes with branches, loops (also such
as turn more or less often by their arguments, with labels and values), matches, casts, wrapping
arithmetic and calls of functions before it; nothing in it is inexact or panics, so the plain
function, the tiles and the device code must agree to the last bit, whatever the arguments are.
"""

import random
import sys

FUNCTIONS = 60
SIGNED = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
UNSIGNED = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}
INTEGERS = {**SIGNED, **UNSIGNED}
FLOATS = ["f32", "f64"]
TYPES = list(INTEGERS) + FLOATS * 2 + ["bool"]


class Function:
    def __init__(self, number, rng, others):
        self.number, self.rng, self.names, self.others = number, rng, 0, others
        self.labels, self.calls = [], 0
        self.lines, self.depth = [], 1
        self.variables = []  # (name, type, whether it can be assigned)

    def pick(self, items):
        return self.rng.choice(list(items))

    def fresh(self):
        self.names += 1
        # Now and then a name is used again: it shadows.
        return self.pick([f"v{self.names}"] * 4 + ["x"])

    def say(self, line):
        self.lines.append("    " * self.depth + line)

    # ---- Expressions of a given type ----

    def literal(self, t, receiver=False):
        if t == "bool":
            return self.pick(["true", "false"])
        if t in FLOATS:
            value = self.pick(["0.0", "1.0", "-2.5", "0.1", "1e3", "-0.0", "7.25"])
            text = value + (f"_{t}" if receiver or self.rng.random() < 0.5 else "")
            return f"({text})" if receiver and value[0] == "-" else text
        bits = INTEGERS[t]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if t in SIGNED else (0, (1 << bits) - 1)
        value = self.pick([0, 1, 2, 3, 7, 100, low, high])
        text = f"{value}" + (f"_{t}" if receiver or self.rng.random() < 0.5 else "")
        return f"({text})" if receiver and value < 0 else text

    def variable(self, t):
        seen, found = set(), []
        for name, of, _ in reversed(self.variables):
            if name not in seen and of == t:
                found.append(name)
            seen.add(name)
        return self.pick(found) if found else None

    def converted(self, t):
        """Some variable, as a number of the type."""
        of = {name: u for name, u, _ in self.variables}  # the last of a name counts
        name = self.pick(sorted(of))
        if t == "bool":
            return name if of[name] == "bool" else f"({name} > {self.literal(of[name])})"
        if of[name] == "bool" and t in FLOATS:
            return f"({name} as u8 as {t})"
        return f"({name} as {t})"

    def typed(self, t, depth):
        """An expression whose type needs nothing around it: it can be a receiver."""
        name = self.variable(t)
        if name and (depth <= 0 or self.rng.random() < 0.6):
            return name
        if self.variables and self.rng.random() < 0.7:
            return self.converted(t)
        if depth <= 0:
            return f"({self.literal(t, True)})"
        if t in INTEGERS or t in FLOATS:
            return f"({self.cast(t, depth - 1)})"
        return f"({self.expression(t, depth - 1)})"

    def cast(self, t, depth):
        of = self.pick([u for u in TYPES if not (u == "bool" and t in FLOATS)])
        return f"{self.typed(of, depth - 1)} as {t}"

    def expression(self, t, depth):
        if depth <= 0:
            if self.variables and self.rng.random() < 0.7:
                return self.variable(t) or self.converted(t)
            return self.literal(t)
        kind = self.rng.random()
        if kind < 0.12:
            return self.choice(t, depth)
        if kind < 0.2 and t != "bool":
            return f"({self.cast(t, depth)})"
        if t == "bool":
            return self.boolean(depth)
        if t in FLOATS:
            return self.floating(t, depth)
        return self.integer(t, depth)

    def choice(self, t, depth):
        condition = self.expression("bool", depth - 1)
        yes, no = self.expression(t, depth - 1), self.expression(t, depth - 1)
        if self.rng.random() < 0.3:
            name = f"w{self.names}"
            self.names += 1
            inner = f"let {name}: {t} = {no}; {name}"
            return f"(if {condition} {{ {yes} }} else {{ {inner} }})"
        return f"(if {condition} {{ {yes} }} else {{ {no} }})"

    def boolean(self, depth):
        a, b = self.expression("bool", depth - 1), self.expression("bool", depth - 1)
        of = self.pick(list(INTEGERS) + FLOATS)
        x, y = self.typed(of, depth - 1), self.expression(of, depth - 1)
        float_test = f"{self.typed(self.pick(FLOATS), depth - 1)}.is_nan()"
        return self.pick(
            [f"({a} && {b})", f"({a} || {b})", f"({a} ^ {b})", f"(!{a})", float_test]
            + [f"({x} {op} {y})" for op in ("<", "<=", ">", ">=", "==", "!=")]
        )

    def floating(self, t, depth):
        a, b = self.typed(t, depth - 1), self.expression(t, depth - 1)
        c = self.expression(t, depth - 1)
        sign = self.literal(t)  # The sign of a NaN that was computed is anyone's.
        return self.pick(
            [f"({a} {op} {b})" for op in "+-*/%"] * 2
            + [f"(-{a})", f"{a}.abs()", f"{a}.min({b})", f"{a}.max({b})", f"{a}.floor()"]
            + [f"{a}.sqrt()", f"{a}.mul_add({b}, {c})", f"{a}.copysign({sign})", f"{a}.round()"]
            + [f"{a}.trunc()", f"{a}.signum()"]
        )

    def integer(self, t, depth):
        a, b = self.typed(t, depth - 1), self.expression(t, depth - 1)
        n = self.typed("u32", depth - 1)
        divisor = f"{self.typed(t, depth - 1)} | 1"
        methods = ["wrapping_add", "wrapping_sub", "wrapping_mul", "min", "max"]
        methods += ["saturating_add", "saturating_sub"]
        return self.pick(
            [f"{a}.{m}({b})" for m in methods] * 2
            + [f"({a} {op} {b})" for op in "&|^"]
            + [f"(!{a})", f"{a}.wrapping_neg()", f"{a}.wrapping_shl({n})", f"{a}.wrapping_shr({n})"]
            + [f"({a} << ({n} % {INTEGERS[t]}))", f"({a} >> ({n} % {INTEGERS[t]}))"]
            + [f"{a}.rotate_left({n})", f"({a}.count_ones() as {t})", f"{a}.wrapping_pow(3)"]
            + [f"{a}.wrapping_div({divisor})", f"{a}.wrapping_rem({divisor})"]
            + [f"({a}.leading_zeros() as {t})", f"{a}.swap_bytes()"]
        )

    # ---- Statements ----

    def block(self, statements, body):
        """Statements in braces of their own."""
        known = len(self.variables)
        self.inside(statements, body)
        del self.variables[known:]

    def inside(self, statements, body):
        """Statements in braces that others share."""
        self.depth += 1
        for _ in range(statements):
            self.statement(body)
        self.depth -= 1

    def assignable(self):
        seen, found = set(), []
        for name, t, mutable in reversed(self.variables):
            if mutable and name not in seen:
                found.append((name, t))
            seen.add(name)
        return self.pick(found) if found else None

    def statement(self, level):
        kind = self.rng.random()
        target = self.assignable()
        if kind < 0.35 or not target:
            t = self.pick(TYPES)
            mutable = self.rng.random() < 0.7
            value = self.expression(t, 3)
            name = self.fresh()
            self.say(f"let {'mut ' if mutable else ''}{name}: {t} = {value};")
            self.variables.append((name, t, mutable))
        elif kind < 0.6:
            name, t = target
            if t in FLOATS and self.rng.random() < 0.5:
                self.say(f"{name} {self.pick('+-*/')}= {self.expression(t, 2)};")
            elif t in INTEGERS and self.rng.random() < 0.3:
                self.say(f"{name} {self.pick('&|^')}= {self.expression(t, 2)};")
            else:
                self.say(f"{name} = {self.expression(t, 3)};")
        elif level <= 0:
            name, t = target
            self.say(f"{name} = {self.expression(t, 2)};")
        elif kind < 0.72:
            self.say(f"if {self.expression('bool', 2)} {{")
            self.block(2, level - 1)
            self.say("} else {")
            self.block(2, level - 1)
            self.say("}")
        elif kind < 0.78:
            self.loop(level)
        elif kind < 0.84:
            self.open_loop(level)
        elif kind < 0.86:
            self.labelled(level)
        elif kind < 0.88 and self.others and self.calls < 2:
            self.call()
        elif kind < 0.93:
            self.matching(level)
        else:
            self.say(f"if {self.expression('bool', 2)} {{")
            self.depth += 1
            self.say(f"return {self.results()};")
            self.depth -= 1
            self.say("}")

    def loop(self, level):
        t = self.pick(INTEGERS)
        name = self.fresh()
        start, turns = self.rng.randrange(3), self.rng.randrange(2, 6)
        head = self.pick(
            [
                f"{start}..{start + turns}",
                f"{start}..={start + turns}",
                f"({start}..{start + turns}).rev()",
                f"({start}..{start + 2 * turns}).step_by(2)",
            ]
        )
        self.say(f"for {name} in {head} {{")
        known = len(self.variables)
        self.variables.append((name, "i32", False))
        self.depth += 1
        # What rustc shall take the variable for.
        self.say(f"let {name}: i32 = {name};")
        self.depth -= 1
        self.inside(2, level - 1)
        self.depth += 1
        if self.rng.random() < 0.5:
            self.jump()
        self.depth -= 1
        self.inside(1, 0)
        del self.variables[known:]
        self.say("}")

    def jump(self):
        """A way out of a loop, or on to its next turn."""
        to = self.pick(["break", "continue"] + [f"{j} {l}" for l in self.labels for j in ("break", "continue")])
        self.say(f"if {self.expression('bool', 2)} {{")
        self.say(f"    {to};")
        self.say("}")

    def few(self):
        """A number of turns that depends on the arguments."""
        return f"({self.typed(self.pick(INTEGERS), 1)} as u32 % {self.rng.randrange(2, 12)})"

    def open_loop(self, level):
        """A loop that turns as often as its arguments say."""
        self.names += 1
        turns, label = f"turns{self.names}", f"'l{self.names}"
        kind = self.pick(["for", "while", "loop", "value"])
        most = self.few()
        labelled = kind != "value" and self.rng.random() < 0.5
        mark = f"{label}: " if labelled else ""
        name = self.fresh()
        t = self.pick(TYPES)
        if kind == "for":
            head = self.pick([f"0..{most}", f"1..={most}", f"(0..{most}).rev()"])
            self.say(f"{mark}for {turns} in {head} {{")
        elif kind == "while":
            self.say(f"let mut {turns}: u32 = 0;")
            self.say(f"{mark}while {turns} < {most} && {self.expression('bool', 1)} {{")
            self.say(f"    {turns} += 1;")
        else:
            self.say(f"let mut {turns}: u32 = 0;")
            start = f"let {name}: {t} = loop {{" if kind == "value" else f"{mark}loop {{"
            self.say(start)
            self.say(f"    {turns} += 1;")
            result = f" {self.expression(t, 2)}" if kind == "value" else ""
            self.say(f"    if {turns} > {most} {{ break{result}; }}")
        known = len(self.variables)
        self.variables.append((turns, "u32", False))
        outer = self.labels
        # A value comes from every `break`, so a loop that gives one is left by its own alone.
        self.labels = [] if kind == "value" else outer + [label] * labelled
        self.inside(2, level - 1 if kind != "value" else 0)
        self.depth += 1
        if kind != "value" and self.rng.random() < 0.7:
            self.jump()
        if kind == "value" and self.rng.random() < 0.7:
            self.say(f"if {self.expression('bool', 2)} {{ break {self.expression(t, 2)}; }}")
        self.depth -= 1
        self.inside(1, 0)
        self.labels = outer
        del self.variables[known:]
        self.say("};" if kind == "value" else "}")
        if kind == "value":
            self.variables.append((name, t, False))

    def labelled(self, level):
        """A block with a label, left with a value."""
        self.names += 1
        label, t, name = f"'b{self.names}", self.pick(TYPES), self.fresh()
        self.say(f"let {name}: {t} = {label}: {{")
        known = len(self.variables)
        outer, self.labels = self.labels, []
        self.inside(2, 0)
        self.depth += 1
        self.say(f"if {self.expression('bool', 2)} {{ break {label} {self.expression(t, 2)}; }}")
        self.say(f"{self.expression(t, 2)}")
        self.depth -= 1
        self.labels = outer
        del self.variables[known:]
        self.say("};")
        self.variables.append((name, t, False))

    def call(self):
        """A call of a function before, by some of the lanes or by all."""
        self.calls += 1
        other = self.pick(self.others)
        arguments = ", ".join(self.expression(t, 1) for t in other.inputs)
        call = f"random_{other.number}({arguments})"
        names = [self.fresh() if k else f"c{self.names}" for k in range(len(other.outputs))]
        names = [f"{name}_{k}" for k, name in enumerate(names)]
        kind = self.rng.random()
        if kind < 0.5:
            self.say(f"let ({', '.join(names)}) = {call};")
            self.variables += [(n, t, False) for n, t in zip(names, other.outputs)]
            return
        k = self.rng.randrange(len(other.outputs))
        part, t = f"{call}.{k}", other.outputs[k]
        test = part if t == "bool" else f"{part} > {self.literal(t)}"
        op = self.pick(["&&", "||"])
        self.say(f"let {names[0]}: bool = {self.expression('bool', 2)} {op} {test};")
        self.variables.append((names[0], "bool", False))

    def matching(self, level):
        of = self.pick(INTEGERS)
        self.say(f"match {self.typed(of, 2)} {{")
        self.depth += 1
        for pattern in ["0", "1 | 2", "3..=100"]:
            self.say(f"{pattern} => {{")
            self.block(1, level - 1)
            self.say("}")
        self.say(f"other if {self.expression('bool', 2)} => {{")
        self.variables.append(("other", of, False))
        self.block(1, 0)
        self.variables.pop()
        self.say("}")
        self.say("_ => {")
        self.block(1, 0)
        self.say("}")
        self.depth -= 1
        self.say("}")

    def results(self):
        return "(" + ", ".join(self.expression(t, 2) for t in self.outputs) + ")"

    def text(self):
        inputs = self.inputs = [self.pick(TYPES) for _ in range(self.rng.randrange(2, 5))]
        self.outputs = [self.pick(TYPES) for _ in range(self.rng.randrange(2, 4))]
        self.variables = [(f"a{k}", t, False) for k, t in enumerate(inputs)]
        for _ in range(5):
            self.statement(2)
        self.say(self.results())
        arguments = ", ".join(f"a{k}: {t}" for k, t in enumerate(inputs))
        head = f"#[device]\nfn random_{self.number}({arguments}) -> ({', '.join(self.outputs)}) {{"
        return "\n".join([head, *self.lines, "}"])


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    rng = random.Random(seed)
    made, functions = [], []
    for k in range(FUNCTIONS):
        function = Function(k, rng, list(made))
        functions.append(function.text())
        made.append(function)
    adds = "\n".join(
        f"        .add::<random_{k}, ()>(Range::Edges, 0.0)" for k in range(FUNCTIONS)
    )
    print("//! Random functions, made by tests/data/generate_functions.py.")
    print("#![allow(warnings, clippy::all)]")
    print("\nuse super::{Cases, Range};\nuse crate::device;\n")
    print("\n\n".join(functions))
    print("\n#[test]\nfn random_functions_agree() {")
    print("    let mut cases = Cases::default();\n    cases")
    print(adds + ";\n    cases.check();")
    print("    assert!(cases.lane_forms() > 15, \"only {} have lane forms\", cases.lane_forms());\n}")


main()
