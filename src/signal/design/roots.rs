//! The roots of a polynomial, all at once.

use crate::dtype::Complex;

/// After so many turns roots do not move any further than rounding moves them.
const MOST_TURNS: usize = 200;

/// The value of a real polynomial, given from its highest power down, and of its derivative.
fn with_derivative(c: &[f64], x: Complex<f64>) -> (Complex<f64>, Complex<f64>) {
    let zero = Complex::new(0.0, 0.0);
    c.iter().fold((zero, zero), |(p, d), &c| (p * x + c, d * x + p))
}

/// The roots of a real polynomial, given from its highest power down, whose first coefficient is not
/// 0. Those that are not real come in exact pairs, the one above the real axis first. A root of
/// multiplicity `m` has an error of about the `m`-th root of rounding, as all methods in double
/// precision have. Aberth's and Ehrlich's iteration: Newton's, with each root pushed off by the others.
pub(super) fn roots(c: &[f64]) -> Vec<Complex<f64>> {
    let zeros_at_0 = c.iter().rev().take_while(|&&c| c == 0.0).count();
    let c = &c[..c.len() - zeros_at_0];
    let degree = c.len().saturating_sub(1);
    // The radius within which all roots lie is at least that of their geometric mean.
    let radius = match degree {
        0 => 0.0,
        _ => (c[degree] / c[0]).abs().powf(1.0 / degree as f64),
    };
    let mut found: Vec<Complex<f64>> = (0..degree)
        .map(|k| {
            // Off the real axis, and not symmetric about it, so that no two roots stay equal.
            let angle = 2.0 * std::f64::consts::PI * k as f64 / degree as f64 + 0.4;
            Complex::from_polar(radius, angle)
        })
        .collect();
    for _ in 0..MOST_TURNS {
        let mut moved = 0.0f64;
        for k in 0..degree {
            let x = found[k];
            let (p, d) = with_derivative(c, x);
            if p.norm() == 0.0 {
                continue;
            }
            let others = found.iter().enumerate().filter(|&(l, y)| l != k && *y != x);
            let push: Complex<f64> = others.map(|(_, y)| (x - y).inv()).sum();
            let step = (d / p - push).inv();
            if step.is_finite() {
                found[k] = x - step;
                moved = moved.max(step.norm() / x.norm().max(f64::MIN_POSITIVE));
            }
        }
        if moved < 4.0 * f64::EPSILON {
            break;
        }
    }
    let mut found = in_pairs(found);
    found.resize(degree + zeros_at_0, Complex::new(0.0, 0.0));
    found
}

/// Roots near the real axis are put onto it, the others matched with their nearest conjugates.
fn in_pairs(mut open: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
    let mut found = Vec::with_capacity(open.len());
    while let Some(x) = open.pop() {
        let distance = |y: &Complex<f64>| (y.conj() - x).norm();
        let nearest =
            (0..open.len()).min_by(|&k, &l| distance(&open[k]).total_cmp(&distance(&open[l])));
        match nearest.filter(|&k| distance(&open[k]) < 2.0 * x.im.abs()) {
            // A conjugate is nearer than the root's own mirror image on the axis.
            Some(k) if x.im.abs() > 1e-12 * x.norm() => {
                let pair = (x + open.swap_remove(k).conj()) / 2.0;
                let upper = Complex::new(pair.re, pair.im.abs());
                found.extend([upper, upper.conj()]);
            }
            _ => found.push(Complex::new(x.re, 0.0)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The real polynomial with the given roots.
    fn from_roots(roots: &[Complex<f64>]) -> Vec<f64> {
        let mut c = vec![Complex::new(1.0, 0.0)];
        for r in roots {
            c.push(Complex::new(0.0, 0.0));
            (1..c.len()).rev().for_each(|k| c[k] = c[k] - c[k - 1] * r);
        }
        c.iter().map(|c| c.re).collect()
    }

    #[test]
    fn roots_of_known_polynomials() {
        let lists = [
            vec![(0.5, 0.0), (-0.25, 0.0), (0.0, 0.0), (0.0, 0.0)],
            vec![(0.9, 0.1), (0.9, -0.1), (0.5, 0.7), (0.5, -0.7), (-1.0, 0.0)],
            vec![(3.0, 0.0)],
            vec![],
            vec![(0.0, 1.0), (0.0, -1.0), (1e-3, 0.0), (200.0, 0.0)],
        ];
        for list in lists {
            let wanted: Vec<_> = list.iter().map(|&(re, im)| Complex::new(re, im)).collect();
            let got = roots(&from_roots(&wanted));
            assert_eq!(got.len(), wanted.len());
            for w in &wanted {
                let near = got.iter().map(|g| (g - w).norm()).fold(f64::MAX, f64::min);
                assert!(near < 1e-12 * w.norm().max(1.0), "{w} {got:?}");
            }
        }
    }
}
