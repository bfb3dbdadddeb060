//! Reductions and scans.

use super::super::value::{Host, Kind, V, below};
use super::elementwise::{cast, truth};
use super::products::prod;

/// What sums and products of a type are.
pub fn wide(kind: Kind) -> Kind {
    match kind {
        Kind::Bool | Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => Kind::I64,
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => Kind::U64,
        other => other,
    }
}

/// For each place of the result, the elements along the axes in C order, handed to `f`.
fn rows(a: &Host, axes: &[usize], keep: bool, kind: Kind, f: impl Fn(&[V]) -> V) -> Option<Host> {
    if axes.iter().any(|&k| k >= a.rank()) {
        return None;
    }
    let inside = |k: &usize| axes.contains(k);
    let kept: Vec<usize> = (0..a.rank()).map(|k| if inside(&k) { 1 } else { a.shape[k] }).collect();
    let within: Vec<usize> =
        (0..a.rank()).map(|k| if inside(&k) { a.shape[k] } else { 1 }).collect();
    let mut result = Host::build(kind, kept, |at| {
        let elements = Host::build(a.kind, within.clone(), |j| {
            let place: Vec<usize> = at.iter().zip(j).map(|(x, y)| x + y).collect();
            a.data[a.offset(&place)]
        });
        f(&elements.data)
    });
    if !keep {
        result.shape = (0..a.rank()).filter(|k| !inside(k)).map(|k| a.shape[k]).collect();
    }
    Some(result)
}

/// A reduction by its method's name.
pub fn reduce(name: &str, a: &Host, axes: &[usize], keep: bool) -> Option<Host> {
    let kind = a.kind;
    let some = axes.iter().all(|&k| a.shape.get(k).is_some_and(|&n| n > 0));
    let all = |kind: Kind, f: &dyn Fn(&[V]) -> V| rows(a, axes, keep, kind, f);
    match name {
        "sum" => rows(&widened(a), axes, keep, wide(kind), |x| sum(wide(kind), x)),
        "prod" => rows(&widened(a), axes, keep, wide(kind), |x| prod(wide(kind), x)),
        "any" | "all" | "count_nonzero" => {
            let to = if name == "count_nonzero" { Kind::I64 } else { Kind::Bool };
            all(to, &|x| {
                let truths: Vec<V> = x.iter().map(|v| truth(kind, v, false)).collect();
                if truths.iter().any(|v| !v.is_known()) {
                    return V::UNKNOWN;
                }
                let n: i128 = truths.iter().map(|v| v.int).sum();
                match name {
                    "any" => V::truth(n > 0),
                    "all" => V::truth(n == x.len() as i128),
                    _ => V::int(n),
                }
            })
        }
        _ if kind.is_complex() => None,
        "min" | "max" if some => all(kind, &|x| extreme(kind, x, name == "max")),
        "ptp" if some && kind != Kind::Bool => {
            let (high, low) = (reduce("max", a, axes, keep)?, reduce("min", a, axes, keep)?);
            super::elementwise::binary("subtract", &high, &low)
        }
        "argmin" | "argmax" if some => all(Kind::I64, &|x| place(kind, x, name == "argmax")),
        "mean" if some => {
            let to = if kind.is_float() { kind } else { Kind::F64 };
            let a = cast(a, to);
            rows(&a, axes, keep, to, |x| {
                let n = x.len() as f64;
                let s = sum(if to.is_half() { Kind::F32 } else { to }, x);
                let mean = to.round(s.re / n);
                let overflow = s.re.is_infinite();
                let r = V::float(mean).within(s.loose / n * 2.0 + 4.0 * to.ulp(mean));
                if overflow || !s.is_known() { V::UNKNOWN } else { r }
            })
        }
        "var" | "std" if some => spread_of(a, axes, keep, name == "std"),
        _ => None,
    }
}

fn widened(a: &Host) -> Host {
    if a.kind.is_discrete() { cast(a, wide(a.kind)) } else { a.clone() }
}

fn spread_of(a: &Host, axes: &[usize], keep: bool, root: bool) -> Option<Host> {
    let to = if a.kind.is_float() { a.kind } else { Kind::F64 };
    rows(&cast(a, to), axes, keep, to, |x| {
        let n = x.len() as f64;
        let size = x.iter().fold(0.0f64, |m, v| m.max(v.re.abs() + v.loose));
        if !below(size, 1e15) || to == Kind::F16 && size > 20.0 || x.iter().any(|v| v.re.is_nan()) {
            return V::UNKNOWN;
        }
        let mean = x.iter().map(|v| v.re).sum::<f64>() / n;
        let var = x.iter().map(|v| (v.re - mean).powi(2)).sum::<f64>() / n;
        let noise = x.iter().fold(0.0f64, |m, v| m.max(v.loose));
        let unit = if to.is_half() { Kind::F32.unit() } else { to.unit() };
        // Squares of numbers near the smallest are lost.
        let least = if to == Kind::F64 { 5e-324 } else { f64::from(f32::from_bits(1)) };
        let err = 8.0 * (n + 4.0) * (unit * size * size + least) + 8.0 * size * noise;
        let one = |x: f64| to.round(x);
        if root {
            let (low, high) = ((var - err).max(0.0).sqrt(), (var + err).sqrt());
            let r = var.sqrt();
            return V::float(one(r)).within((r - low).max(high - r) + 4.0 * to.ulp(r));
        }
        V::float(one(var)).within(err + 4.0 * to.ulp(var))
    })
}

/// The exponent of the lowest bit that a float has set, and that of its size.
pub fn span(x: f64) -> Option<(i32, i32)> {
    if x == 0.0 || !x.is_finite() {
        return None;
    }
    let (m, e) = libm::frexp(x);
    let whole = (m.abs() * 2f64.powi(53)) as u64;
    Some((e - 53 + whole.trailing_zeros() as i32, e))
}

/// Whether all sums of the numbers, in any order, are numbers of the type.
fn sums_exactly(kind: Kind, x: impl Iterator<Item = f64> + Clone) -> bool {
    let low = x.clone().filter_map(span).map(|s| s.0).min();
    let total: f64 = x.map(f64::abs).sum();
    let digits = if kind.is_half() { 24 } else { kind.digits().0 };
    low.is_none_or(|low| {
        // Products may have bits below the smallest number.
        let held = low >= kind.digits().1 && total.is_finite();
        held && libm::ldexp(total, -low) < 2f64.powi(digits)
    })
}

/// The sum of numbers in any order.
pub fn sum(kind: Kind, x: &[V]) -> V {
    if x.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    if kind.is_discrete() {
        return V::int(kind.wrap(x.iter().map(|v| v.int).sum()));
    }
    if kind.is_complex() {
        let part = |re: fn(&V) -> f64| {
            let parts: Vec<V> = x.iter().map(|v| V { re: re(v), im: 0.0, ..*v }).collect();
            sum(kind.component(), &parts)
        };
        let (re, im) = (part(|v| v.re), part(|v| v.im));
        return V { sign: true, ..V::complex(re.re, im.re).within(re.err.max(im.err)) };
    }
    let numbers = || x.iter().map(|v| v.re);
    let size: f64 = numbers().map(f64::abs).sum();
    let special = numbers().any(|v| !v.is_finite());
    if !special && !below(size, kind.greatest()) {
        return V::UNKNOWN;
    }
    let (nan, up, down) = (
        numbers().any(f64::is_nan),
        numbers().any(|v| v == f64::INFINITY),
        numbers().any(|v| v == f64::NEG_INFINITY),
    );
    if special {
        let finite: f64 = numbers().filter(|v| v.is_finite()).map(f64::abs).sum();
        if finite >= kind.greatest() {
            return V::UNKNOWN;
        }
        let value = if nan || up && down {
            f64::NAN
        } else if up {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        return V::float(value);
    }
    let exact = sums_exactly(kind, numbers());
    let total: f64 = numbers().sum();
    let value = kind.round(total);
    let noise: f64 = x.iter().map(|v| v.loose).sum();
    let unit = if kind.is_half() { Kind::F32.unit() } else { kind.unit() };
    let mut err = noise * 2.0;
    if !exact {
        err += 2.0 * x.len() as f64 * unit * (size + noise) + (x.len() + 1) as f64 * kind.ulp(0.0);
    }
    if err > 0.0 {
        err += kind.ulp(value);
    }
    let all_negative = numbers().all(|v| v == 0.0 && v.is_sign_negative());
    let signs = x.iter().any(|v| v.sign);
    let value = if value == 0.0 { 0.0 } else { value };
    let mut r = V::float(value).within(err);
    r.sign |= value == 0.0 && (all_negative || signs);
    if kind.is_half() && total != value {
        r.loose = err + kind.ulp(value);
    }
    r
}

/// The least or the greatest of numbers; NaN wins.
fn extreme(kind: Kind, x: &[V], greatest: bool) -> V {
    if x.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    if kind.is_discrete() {
        let all = x.iter().map(|v| v.int);
        return V::int(if greatest { all.max() } else { all.min() }.expect("some elements"));
    }
    if let Some(nan) = x.iter().find(|v| v.re.is_nan()) {
        return *nan;
    }
    let better = |a: f64, b: f64| if greatest { a > b } else { a < b };
    let best = x.iter().copied().reduce(|a, b| if better(b.re, a.re) { b } else { a });
    let mut best = best.expect("some elements");
    best.err = x.iter().fold(0.0, |m, v| m.max(v.err));
    best.loose = x.iter().fold(0.0, |m, v| m.max(v.loose));
    let zeros = x.iter().filter(|v| v.re == 0.0);
    let mixed = zeros.clone().any(|v| v.re.is_sign_negative() != best.re.is_sign_negative());
    best.sign |= best.err > 0.0 || best.re == 0.0 && (mixed || zeros.clone().any(|v| v.sign));
    best
}

/// The first place of the least or the greatest number; the first NaN where there is one.
fn place(kind: Kind, x: &[V], greatest: bool) -> V {
    if x.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    if kind.is_discrete() {
        let better = |a: i128, b: i128| if greatest { a > b } else { a < b };
        let at = (0..x.len()).reduce(|p, q| if better(x[q].int, x[p].int) { q } else { p });
        return V::int(at.expect("some elements") as i128);
    }
    if let Some(k) = x.iter().position(|v| v.re.is_nan()) {
        return V::int(k as i128);
    }
    let better = |a: f64, b: f64| if greatest { a > b } else { a < b };
    let at = (0..x.len()).reduce(|p, q| if better(x[q].re, x[p].re) { q } else { p });
    let at = at.expect("some elements");
    let near = |k: usize| {
        let reach = x[k].loose + x[at].loose;
        k != at && reach > 0.0 && (x[k].re - x[at].re).abs() <= reach
    };
    if (0..x.len()).any(near) { V::UNKNOWN } else { V::int(at as i128) }
}

/// A scan along an axis.
pub fn scan(name: &str, a: &Host, axis: usize, reverse: bool, exclusive: bool) -> Option<Host> {
    let order = name == "cummin" || name == "cummax";
    let work = a.data.len() * a.shape.get(axis)?;
    if work > 30_000_000 || order && (a.kind.is_complex() || exclusive) {
        return None;
    }
    let source = if order { a.clone() } else { widened(a) };
    let (kind, n) = (source.kind, source.shape[axis]);
    Some(Host::build(kind, a.shape.clone(), |at| {
        let j = at[axis];
        let taken = match (reverse, exclusive) {
            (false, false) => 0..j + 1,
            (false, true) => 0..j,
            (true, false) => j..n,
            (true, true) => j + 1..n,
        };
        let mut place = at.to_vec();
        let elements: Vec<V> = taken
            .map(|k| {
                place[axis] = k;
                source.data[source.offset(&place)]
            })
            .collect();
        match name {
            "cumsum" => sum(kind, &elements),
            "cumprod" => prod(kind, &elements),
            _ => extreme(kind, &elements, name == "cummax"),
        }
    }))
}
