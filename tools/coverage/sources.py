"""The public names of Lazuli, read from its sources as text.

`names(root)` gives a set of paths below the crate: `select`, `fft::rfft`, `DeviceArray::sum`,
`random::Generator::normal`. What macros make is known by the form in which it is written:
`fn name | try_name` is a public pair, `fn name;` and `fn name = method` are public functions of
SciPy's names, a row of `elements/src/table.rs` is a method of `DeviceArray`, and one of
`macros/src/formulas/rows.rs` a function of `special` as well. `tests/it/coverage.rs` reads the sources in
the same way, and rustdoc resolves each path as a link.
"""

import pathlib
import re

# Kinds of rows of the table that are no public method, or are written out elsewhere.
NO_METHOD = ("select", "sample1", "sample2")

ROW = re.compile(
    r"[A-Z]\w* (\w+) (unary|binary|ternary|ldexp|select|sample1|sample2) \w+ => \w+, cuda "
)
FUNCTION = re.compile(r"pub (?:const |unsafe )*fn (\w+)")
PAIR = re.compile(r"fn (\w+) \| (\w+)")
SHORT = re.compile(r"fn (\w+)(?:;| = \w+, example )")
ITEM = re.compile(r"pub (?:struct|enum|trait|type|const|union) (\w+)")
CONSTANT = re.compile(r"pub const (\w+):")


# What opens a block inside of which nothing is one of the file's own names.
BLOCKS = ("macro_rules!", "trait ", "pub trait ", "pub(crate) trait ", "mod ", "pub mod ")

# What stands in the crates below and has types that users see.
SHOWN = ("dtype", "error", "backend/device", "backend/stream")

# Where the methods of a module's types are written, if not in a folder of the module's name.
HOMES = {
    "fft": "ops/fft",
    "random": "ops/random",
    "linalg": "ops/linalg",
}


def lines(path):
    """A file's lines of code."""
    for line in path.read_text().splitlines():
        if not line.strip().startswith("//"):
            yield line


def functions_of(path):
    """Pairs of an owner ("" for the module) and a name for what a file makes public."""
    found, owner, header, before = set(), "", None, ""
    for line in lines(path):
        is_hidden, before = before.strip() == "#[doc(hidden)]", line
        if is_hidden and line.strip().startswith(("pub fn ", "pub const ")):
            continue
        if header is not None:
            header += " " + line.strip()
        elif line.startswith(("impl", "unsafe impl")):
            header = line
        if header is not None:
            if "{" in header:
                owner, header = owner_of(header), None
            continue
        if line.startswith("pub trait "):
            found.add(("", ITEM.match(line)[1]))
        if line.startswith(BLOCKS) and line.endswith("{"):
            owner = None
        elif line.startswith("}"):
            owner = ""
        if owner is None:
            continue
        text = line.strip()
        if pair := PAIR.match(text):
            found |= {(owner, pair[1]), (owner, pair[2])}
        elif function := FUNCTION.match(text):
            found.add((owner, function[1]))
        elif owner == "" and (short := SHORT.match(text)):
            found.add((owner, short[1]))
        elif owner and (constant := CONSTANT.match(text)):
            found.add((owner, constant[1]))
        elif owner == "" and (item := ITEM.match(line)):
            found.add((owner, item[1]))
    return found


def owner_of(header):
    """The type of an `impl`; nothing for a trait's."""
    before = header.split("{")[0]
    if " for " in before:
        return None
    # Angle brackets are taken away from the inside out, so that only the type's name is left.
    while (inner := re.sub(r"<[^<>]*>", "", before.replace("->", ""))) != before:
        before = inner
    match = re.match(r"(?:unsafe )?impl\s+(?:\w+::)*(\w+)", before)
    return match[1] if match else None


def rows(path):
    """The methods that the table's rows make."""
    for line in lines(path):
        if (row := ROW.match(line.strip())) and row[2] not in NO_METHOD:
            yield row[1]


def formulas(path):
    """What functions that are made of others make public."""
    is_method = True
    for line in lines(path):
        if line == "#[function]":
            is_method = False
        elif row := re.match(r"fn (\w+)\(", line):
            yield f"special::{row[1]}"
            yield f"special::device::{row[1]}"
            if is_method:
                yield f"DeviceArray::{row[1]}"
            is_method = True


def module_file(folder, name):
    for path in (folder / f"{name}.rs", folder / name / "mod.rs"):
        if path.exists():
            return path
    return None


def uses(text):
    """The parts of each `pub use`: the path before the names, and the names."""
    for path in re.findall(r"^ *pub use ([^;]*);", text, re.M):
        path = re.sub(r"\s+", " ", path)
        if "{" in path:
            base, listed = path.split("{")
            for name in listed.rstrip("} ").split(","):
                if name.strip():
                    yield base + name.strip()
        else:
            yield path


def resolve(folder, root, path):
    """The file of a module named by a path from a folder or from the crate."""
    parts = path.split("::")
    if parts[0] == "crate":
        parts, folder = parts[1:], root
    elif parts[0] in ("self", "super"):
        return None
    for part in parts[:-1]:
        folder = folder / part
    return module_file(folder, parts[-1])


def is_module(folder, root, path):
    """Whether a path names a public module: a function may have a private one's name beside it."""
    *before, last = path.split("::")
    if before[:1] == ["crate"]:
        before, folder = before[1:], root
    parent = folder.joinpath(*before)
    files = [file for file in (parent / "mod.rs", parent.with_suffix(".rs")) if file.exists()]
    return any(f"pub mod {last};" in lines(file) for file in files)


def module(root, path, prefix, found):
    """The public names of a module and of the modules below it."""
    text = "\n".join(lines(path))
    folder = path.parent if path.name in ("mod.rs", "lib.rs") else path.with_suffix("")
    inline = re.findall(r"^pub mod (\w+) \{\n(.*?)^\}", text, re.M | re.S)
    text = re.sub(r"^(?:pub )?mod \w+ \{\n.*?^\}", "", text, flags=re.M | re.S)
    for name, body in inline:
        for use in uses(body):
            found.add(prefix + name + "::" + use.split("::")[-1])
    own = {name for owner, name in functions_of(path) if owner == ""}
    found |= {prefix + name for name in own}
    for use in uses(text):
        take(root, folder, use, prefix, found)
    for name in re.findall(r"^pub mod (\w+);", text, re.M):
        if below := module_file(folder, name):
            module(root, below, f"{prefix}{name}::", found)


def take(root, folder, use, prefix, found):
    """What one re-export makes public."""
    path, _, other = use.partition(" as ")
    name = other or path.split("::")[-1]
    if name == "*":
        if file := resolve(folder, root, path.removesuffix("::*")):
            found |= {prefix + n for owner, n in functions_of(file) if owner == ""}
    elif is_module(folder, root, path) and (file := resolve(folder, root, path)):
        module(root, file, f"{prefix}{name}::", found)
    else:
        found.add(prefix + name)


def names(folder):
    """All public paths below the crate whose repository is `folder`."""
    root, found = folder / "src", set()
    below = [folder / "core/src", folder / "elements/src"]
    module(root, root / "lib.rs", "", found)
    # Methods: of types at the crate's root anywhere, of a module's types in its folder.
    types = {path for path in found if path.split("::")[-1][0].isupper()}
    files = [(part, file) for part in (root, *below) for file in sorted(part.rglob("*.rs"))]
    for part, file in files:
        inside = file.relative_to(part).as_posix()
        if part in below and not inside.startswith(SHOWN):
            continue
        for owner, name in functions_of(file):
            for path in types if owner else ():
                *parents, last = path.split("::")
                home = HOMES.get("::".join(parents), "/".join(parents))
                if last == owner and inside.startswith(home):
                    found.add(f"{path}::{name}")
    found |= {f"DeviceArray::{name}" for name in rows(below[1] / "table.rs")}
    found |= set(formulas(folder / "macros/src/formulas/rows.rs"))
    return found


if __name__ == "__main__":
    for path in sorted(names(pathlib.Path(__file__).parents[2])):
        print(path)
