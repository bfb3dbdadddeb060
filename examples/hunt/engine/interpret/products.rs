//! Products of many numbers, and of matrices.

use super::super::value::{Host, Kind, V, below, broadcast};
use super::elementwise::product;
use super::folds::{span, sum};

/// The product of numbers in any order.
pub fn prod(kind: Kind, x: &[V]) -> V {
    if x.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    if kind.is_discrete() {
        return V::int(x.iter().fold(1, |p, v| kind.wrap(p.wrapping_mul(v.int))));
    }
    let Some(relative) = relative_error(kind, x) else { return V::UNKNOWN };
    if kind.is_complex() {
        return complex_prod(kind, x, relative);
    }
    let zero = x.iter().any(|v| v.re == 0.0);
    let value: f64 = x.iter().map(|v| v.re).product();
    let bits: i32 = x.iter().filter_map(|v| span(v.re)).map(|(low, high)| high - low).sum();
    let mut err = value.abs() * relative;
    if !zero && bits > kind.digits().0 {
        err += 4.0 * x.len() as f64 * kind.unit() * value.abs() + kind.ulp(value);
    }
    V { sign: zero, ..V::float(kind.round(value)).within(err) }
}

/// The relative error that the elements' own bounds make of a product of all; `None` where some
/// order of the product overflows, loses digits below the smallest numbers, or where nothing is
/// known. The greatest of all partial products, in any order, is that of the factors above 1.
fn relative_error(kind: Kind, x: &[V]) -> Option<f64> {
    let size = |v: &V| v.re.hypot(v.im);
    let uncertain = |v: &V| v.loose > 0.0 && size(v) <= 2.0 * v.loose;
    if x.iter().any(|v| uncertain(v) || !size(v).is_finite()) {
        return None;
    }
    let product = |big: bool| -> f64 { x.iter().map(size).filter(|m| (*m > 1.0) == big).product() };
    let zero = x.iter().any(|v| size(v) == 0.0);
    let low = if kind.component() == Kind::F64 { 1e-290 } else { 1e-30 };
    let low = if kind == Kind::F16 { 1e-4 } else { low };
    if product(true) >= kind.greatest() * 0.25 || !zero && product(false) < low {
        return None;
    }
    let noise = |v: &V| if v.loose == 0.0 { 0.0 } else { v.loose / size(v) };
    let noise = 4.0 * x.iter().map(noise).sum::<f64>();
    below(noise, 2.0).then_some(noise)
}

fn complex_prod(kind: Kind, x: &[V], relative: f64) -> V {
    let one = (1.0, 0.0);
    let (re, im) = x.iter().fold(one, |(p, q), v| (p * v.re - q * v.im, p * v.im + q * v.re));
    // Whole parts stay whole, and are exact as long as none can need more digits.
    let whole = x.iter().all(|v| v.re.fract() == 0.0 && v.im.fract() == 0.0);
    let most: f64 = x.iter().map(|v| (v.re.abs() + v.im.abs()).max(1.0)).product();
    let size = re.hypot(im);
    let mut err = size * relative;
    if !whole || most * kind.unit() > 0.5 {
        err += 8.0 * x.len() as f64 * kind.unit() * size + kind.ulp(0.0);
    }
    V { sign: true, ..V::complex(kind.round(re), kind.round(im)).within(err) }
}

/// The product of matrices, or of stacks of them.
pub fn matmul(a: &Host, b: &Host) -> Option<Host> {
    if a.kind != b.kind || a.kind == Kind::Bool || a.rank() < 2 || b.rank() < 2 {
        return None;
    }
    let (kind, p, q) = (a.kind, a.rank() - 2, b.rank() - 2);
    let (n, m, l) = (a.shape[p], a.shape[p + 1], b.shape[q + 1]);
    let batch = broadcast(&a.shape[..p], &b.shape[..q])?;
    let size = batch.iter().product::<usize>() * n * l;
    if b.shape[q] != m || size > super::LARGEST || size * m > 2_000_000 {
        return None;
    }
    let a = super::spread(a, &[&batch[..], &[n, m]].concat())?;
    let b = super::spread(b, &[&batch[..], &[m, l]].concat())?;
    let rank = batch.len();
    Some(Host::build(kind, [&batch[..], &[n, l]].concat(), |at| {
        let (i, j) = (at[rank], at[rank + 1]);
        let terms = (0..m).map(|k| {
            let x = a.data[a.offset(&[&at[..rank], &[i, k]].concat())];
            let y = b.data[b.offset(&[&at[..rank], &[k, j]].concat())];
            (x, y)
        });
        dot(kind, terms.collect())
    }))
}

fn dot(kind: Kind, terms: Vec<(V, V)>) -> V {
    let usual = |v: &V| v.is_known() && v.re.abs() < 1e18 && v.im.abs() < 1e18;
    if kind.is_discrete() {
        if terms.iter().any(|(x, y)| !x.is_known() || !y.is_known()) {
            return V::UNKNOWN;
        }
        let total =
            terms.iter().fold(0, |s, (x, y)| kind.wrap(s + kind.wrap(x.int.wrapping_mul(y.int))));
        return V::int(total);
    }
    if terms.iter().any(|(x, y)| !usual(x) || !usual(y)) {
        return V::UNKNOWN;
    }
    let products: Vec<V> = terms
        .iter()
        .map(|(x, y)| match kind.is_complex() {
            true => product(kind, x, y),
            false => {
                let product = x.re * y.re;
                // What a double's product itself rounds away.
                let tiny = product.abs() < 1e-280 && x.re != 0.0 && y.re != 0.0;
                let below = if tiny { kind.ulp(0.0) } else { 0.0 };
                let lost = 2.0 * x.re.mul_add(y.re, -product).abs() + below;
                let err = x.loose * y.re.abs() + y.loose * x.re.abs() + x.loose * y.loose;
                V::float(product).within(err + lost)
            }
        })
        .collect();
    if products.iter().any(|v| !below(v.re.abs(), kind.greatest() / 1e3)) {
        return V::UNKNOWN;
    }
    V { sign: true, ..sum(kind, &products) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In one order `2e30 * 2e-30 * 2e30`, in another `4e60`, which `f32` does not hold.
    #[test]
    fn products_that_overflow_in_some_order_are_unknown() {
        let of = |parts: &[f64]| parts.iter().map(|&x| V::complex(x, -x)).collect::<Vec<_>>();
        for kind in [Kind::C64, Kind::F32] {
            assert!(!prod(kind, &of(&[2e30, 2e-30, 2e30])).is_known());
            assert!(!prod(kind, &of(&[2e-30, 2e30, 2e-30])).is_known());
        }
        assert!(prod(Kind::C128, &of(&[2e30, 2e-30, 2e30])).is_known());
    }

    #[test]
    fn products_of_small_whole_numbers_are_exact() {
        let p =
            prod(Kind::C64, &[V::complex(1.0, 2.0), V::complex(3.0, -1.0), V::complex(0.0, 2.0)]);
        assert_eq!((p.re, p.im, p.err), (-10.0, 10.0, 0.0));
        let p = prod(Kind::C64, &[V::complex(5000.0, 1.0), V::complex(5000.0, -1.0)]);
        assert_eq!((p.re, p.im), (25_000_001.0f32.into(), 0.0));
        assert!(p.err > 1.0);
    }

    #[test]
    fn products_of_uncertain_numbers_are_as_uncertain() {
        let v = V::complex(3.0, 4.0).within(0.01);
        let p = prod(Kind::C128, &[v, v]);
        assert_eq!((p.re, p.im), (-7.0, 24.0));
        assert!((0.1..1.0).contains(&p.err), "{}", p.err);
        assert!(!prod(Kind::C128, &[v.within(3.0), v]).is_known());
    }
}
